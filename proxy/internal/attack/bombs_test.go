//go:build full

package attack_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path"
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
	bombSize = flag.Int("attack.bomb", 2, "size of a bomb in MiB")                                         //nolint:gochecknoglobals // a flag of go test
	parallel = flag.Int("attack.parallel", 4, "how many bombs there are at a time")                        //nolint:gochecknoglobals // a flag of go test
	every    = flag.Duration("attack.every", 0, "least time between two bombs of a client")                //nolint:gochecknoglobals // a flag of go test
	floor    = flag.Bool("attack.floor", false, "let bombs pass first, to tell what their bytes alone do") //nolint:gochecknoglobals // a flag of go test
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
	dir := t.TempDir()
	pages := serve(t, "127.0.1.5", nil, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, words(r.URL.Path, 8))
	})
	p := start(t, dir)
	bomber := build(t, dir, "github.com/winnow-proxy/winnow/proxy/internal/attack/bomber")
	c := attack.Crowd{Proxy: p.addr, Plain: pages}
	usual := readers(t, c, *lasts)
	if *floor {
		end := throw(t, bomber, p, "off")
		passing := readers(t, c, *lasts)
		t.Logf("while bombs pass, readers wait %s; bombs: %v", waits(passing), end())
	}
	ctx, cancel := context.WithCancel(t.Context())
	peak := p.watch(ctx)
	end := throw(t, bomber, p, "")
	under := readers(t, c, *lasts)
	outcomes := end()
	cancel()
	most := <-peak
	t.Logf("%d MiB of its own memory at most (bound %d); readers wait %s, usually %s; bombs: %v", most>>20, ownBound>>20,
		waits(under), waits(usual), outcomes)
	if most > ownBound {
		t.Errorf("winnow takes %d MiB", most>>20)
	}
	if limit := 2*percentile(usual, 99) + slack; percentile(under, 99) > limit && !*report {
		t.Errorf("readers wait %v, want at most %v", percentile(under, 99), limit)
	}
}

// throw has as many clients as there are bombs at a time ask for one after the other in a mode, "" for all modes. end
// ends that and returns what became of the bombs.
func throw(t *testing.T, bomber string, p program, mode string) (end func() map[string]int) {
	t.Helper()
	// Bombs come from other machines: making, moving and reading them must not take this one's time from readers.
	cmd := exec.Command("nice", "-n", "10", bomber, "-proxy", p.addr, "-size", strconv.Itoa(*bombSize),
		"-parallel", strconv.Itoa(*parallel), "-every", every.String(), "-mode", mode)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() (outcomes map[string]int) {
		t.Helper()
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Fatalf("throw bombs: %v", err)
		}
		if err := json.Unmarshal(out.Bytes(), &outcomes); err != nil {
			t.Fatalf("throw bombs: %v", err)
		}
		return outcomes
	}
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

// waits shows how long readers wait.
func waits(sorted []time.Duration) string {
	return fmt.Sprintf("p50 %v p90 %v p99 %v max %v (%d)", percentile(sorted, 50), percentile(sorted, 90), percentile(sorted, 99),
		percentile(sorted, 100), len(sorted))
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

// build builds a command in a folder, and returns its path.
func build(t *testing.T, dir, command string) string {
	t.Helper()
	file := filepath.Join(dir, path.Base(command))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, command).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", command, err, out)
	}
	return file
}

// start builds winnow and starts it with its data in a folder.
func start(t *testing.T, dir string) program {
	t.Helper()
	cmd := exec.Command(build(t, dir, "github.com/winnow-proxy/winnow/cmd/winnow"), "serve", "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0", "--data", filepath.Join(dir, "data"), "--mode", "remove",
		"--allow-client", "127.0.0.0/8", "--allow-private")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMEMLIMIT=") }),
		"WINNOW_ALLOW_PORT=1-65535")
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
