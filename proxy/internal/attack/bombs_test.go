package attack_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/proxy/internal/attack"
)

// Flags for larger bombs: go test ./proxy/internal/attack -run TestBombs -attack.bomb 16 -attack.parallel 16
// -attack.for 30s -v
var (
	bombSize = flag.Int("attack.bomb", 2, "size of a bomb in MiB")                  //nolint:gochecknoglobals // a flag of go test
	parallel = flag.Int("attack.parallel", 4, "how many bombs there are at a time") //nolint:gochecknoglobals // a flag of go test
)

// slack is how much longer than twice the usual readers may wait where others keep the machine busy too. Who stands
// behind bombs in a queue waits longer.
const slack = 5 * time.Second

// ownBound is what winnow serve may take by default: models, pages that are held back, and what it works with
// (cmd/winnow/internal/service).
const ownBound = (256 + 256 + 640) << 20

// Pages that cost much more than their length take no more memory than winnow says that it takes, and hardly any time
// from those who read something else.
func TestBombs(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is read from /proc")
	}
	var bombs []string
	for _, b := range attack.Bombs() {
		bombs = append(bombs, b.Page(*bombSize<<20))
	}
	send := func(w http.ResponseWriter, page string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}
	pages := serve(t, "127.0.1.5", nil, func(w http.ResponseWriter, r *http.Request) { send(w, words(r.URL.Path, 8)) })
	hostile := serve(t, "127.0.1.6", nil, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/bomb/"))
		send(w, bombs[n%len(bombs)])
	})
	p := start(t)
	c := attack.Crowd{Proxy: p.addr, Plain: pages}
	usual := readers(t, c, *lasts)
	ctx, cancel := context.WithTimeout(t.Context(), *lasts)
	defer cancel()
	peak := p.watch(ctx)
	thrown := throw(ctx, attack.Crowd{Proxy: p.addr, Plain: hostile})
	under := readers(t, c, *lasts)
	outcomes, most := <-thrown, <-peak
	t.Logf("%d MiB of its own memory at most (bound %d); readers wait %v, usually %v (p99; medians %v and %v); bombs: %v", most>>20, ownBound>>20,
		percentile(under, 99), percentile(usual, 99), percentile(under, 50), percentile(usual, 50), outcomes)
	if most > ownBound {
		t.Errorf("winnow takes %d MiB", most>>20)
	}
	if limit := 2*percentile(usual, 99) + slack; percentile(under, 99) > limit && !*report {
		t.Errorf("readers wait %v, want at most %v", percentile(under, 99), limit)
	}
}

// throw has as many clients as there are bombs at a time ask for one after the other until ctx ends, and sends what
// became of them.
func throw(ctx context.Context, c attack.Crowd) <-chan map[string]int {
	outcomes, done := map[string]int{}, make(chan map[string]int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range *parallel {
		wg.Go(func() {
			modes := []string{"", "auto", "markdown", "json", "reader", "text"}
			for n := i; ctx.Err() == nil; n += *parallel {
				c := c
				c.Mode = modes[(i + n / *parallel)%len(modes)]
				outcome, err := c.Fetch(netip.AddrFrom4([4]byte{127, 9, 9, byte(1 + i)}), false, fmt.Sprint("/bomb/", n))
				what, _, _ := strings.Cut(outcome, ";")
				if _, reason, ok := strings.Cut(outcome, "reason="); ok {
					what, _, _ = strings.Cut(reason, ";")
				}
				if err != nil {
					what = "failed"
				}
				mu.Lock()
				outcomes[what]++
				mu.Unlock()
			}
		})
	}
	go func() { wg.Wait(); done <- outcomes }()
	return done
}

// readers has five clients read pages for a while, and returns how long each page took.
func readers(t *testing.T, c attack.Crowd, during time.Duration) (took []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(during)
	for i := range 5 {
		wg.Go(func() {
			for n := 0; time.Now().Before(end); n++ {
				began := time.Now()
				_, err := c.Fetch(netip.AddrFrom4([4]byte{127, 8, 0, byte(1 + i)}), false, fmt.Sprint("/sound/", n%20))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took
}

func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*p/100].Round(time.Millisecond / 10)
}

// program is a winnow that serves others than this machine, as it is shipped.
type program struct {
	cmd  *exec.Cmd
	addr string
}

// start builds winnow and starts it.
func start(t *testing.T) program {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "winnow")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/winnow-proxy/winnow/cmd/winnow").CombinedOutput(); err != nil {
		t.Fatalf("build winnow: %v\n%s", err, out)
	}
	cmd := exec.Command(path, "serve", "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--mode", "remove",
		"--allow-client", "127.0.0.0/8", "--allow-private", "--allow-port", "1-65535")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") })
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		var said []string
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if m := regexp.MustCompile(`ready: proxy on \S*:(\d+),`).FindStringSubmatch(lines.Text()); m != nil {
				ready <- "127.0.0.1:" + m[1]
			}
			said = append(said[max(0, len(said)-40):], lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("winnow ended with %v:\n%s", err, strings.Join(said, "\n"))
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		<-ended
	})
	select {
	case addr := <-ready:
		return program{cmd, addr}
	case <-time.After(time.Minute):
	case <-ended:
	}
	t.Fatal("winnow does not become ready")
	return program{}
}

// watch sends the most memory that winnow has had without a file behind it, when ctx has ended (proc_pid_status(5)).
func (p program) watch(ctx context.Context) <-chan int64 {
	peak := make(chan int64, 1)
	go func() {
		most := int64(0)
		for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				tick.Stop()
			}
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
			if m := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(b); m != nil {
				kib, _ := strconv.ParseInt(string(m[1]), 10, 64)
				most = max(most, kib<<10)
			}
		}
		peak <- most
	}()
	return peak
}
