package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// endTimeout bounds winnow's start and its end.
const endTimeout = 90 * time.Second

// program is the winnow under test.
type program struct {
	path, dir string
	flags     []string
	log       string
}

// build builds winnow from the module that this command belongs to.
func (p *program) build(ctx context.Context) error {
	p.path = filepath.Join(p.dir, "winnow")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", p.path, "github.com/winnow-proxy/winnow/cmd/winnow").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build winnow: %w\n%s", err, out)
	}
	return nil
}

// data is the folder with winnow's models.
func (p *program) data() string { return filepath.Join(p.dir, "data") }

// process is a running winnow.
type process struct {
	cmd          *exec.Cmd
	proxy, admin string
	done         chan struct{} // closed when it has ended

	mu   sync.Mutex
	tail []string // of its log
	bad  []string // lines of panics
}

// tailLines is how many lines of the log are kept.
const tailLines = 40

var (
	readyLine = regexp.MustCompile(`ready: proxy on (\S+), admin on (http://\S+/)`)
	badLine   = regexp.MustCompile(`panic|DATA RACE|fatal error|level=ERROR`)
)

// start starts winnow serve and waits until it is ready.
func (p *program) start(ctx context.Context, w *world, env ...string) (*process, error) {
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", p.data(),
		"--upstream-ca", w.ca}, p.flags...)
	proc := &process{cmd: exec.Command(p.path, args...), done: make(chan struct{})} //nolint:noctx // it is ended by signals
	proc.cmd.Env = append(os.Environ(), env...)
	stderr, err := proc.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(cmp.Or(p.log, os.DevNull), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := proc.cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start winnow: %w", err), log.Close())
	}
	ready := make(chan []string, 1)
	go proc.follow(io.TeeReader(stderr, log), log, ready)
	select {
	case m := <-ready:
		proc.proxy, proc.admin = m[1], strings.TrimSuffix(m[2], "/")
		return proc, nil
	case <-proc.done:
	case <-ctx.Done():
	case <-time.After(endTimeout):
	}
	proc.kill()
	return nil, fmt.Errorf("winnow does not become ready:\n%s", proc.lastLines())
}

// follow reads the log until winnow ends.
func (p *process) follow(stderr io.Reader, log io.Closer, ready chan<- []string) {
	defer log.Close()
	lines := bufio.NewScanner(stderr)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := readyLine.FindStringSubmatch(line); m != nil {
			ready <- m
		}
		p.mu.Lock()
		p.tail = append(p.tail[max(0, len(p.tail)-tailLines):], line)
		if badLine.MatchString(line) && len(p.bad) < tailLines {
			p.bad = append(p.bad, line)
		}
		p.mu.Unlock()
	}
	_ = p.cmd.Wait() // the state tells how it ended
	close(p.done)
}

func (p *process) lastLines() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.tail, "\n")
}

// stop ends winnow like an operator, and fails unless it ends cleanly.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-time.After(endTimeout):
		return errors.New("it does not end on SIGTERM")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("exit code %d:\n%s", code, p.lastLines())
	}
	return nil
}

// dump makes winnow log its goroutines, which also ends it.
func (p *process) dump() {
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	<-p.done
}

// kill ends winnow at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// sample is winnow's use of resources at one moment, and its counters.
type sample struct {
	Goroutines, Descriptors float64
	// Private and Mapped are resident bytes: winnow's own memory, and mapped files (the store), which the kernel can
	// reclaim.
	Private, Mapped                              float64
	Learned, Dropped, Panics, Models, ModelBytes float64
}

// sample reads winnow's metrics.
func (p *process) sample(ctx context.Context) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.admin+"/metrics", nil)
	if err != nil {
		return sample{}, err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return sample{}, err
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return sample{}, err
	}
	sum := func(name string) (total float64) {
		for _, m := range families[name].GetMetric() {
			total += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
		return total
	}
	private, mapped, err := p.resident()
	if err != nil {
		return sample{}, err
	}
	return sample{
		Goroutines: sum("go_goroutines"), Descriptors: sum("process_open_fds"), Private: private, Mapped: mapped,
		Learned: sum("winnow_pages_learned_total"), Dropped: sum("winnow_pages_dropped_total"),
		Panics: sum("winnow_panics_total") + sum("winnow_detector_panics_total"),
		Models: sum("winnow_models_in_memory"), ModelBytes: sum("winnow_models_bytes"),
	}, nil
}

// resident returns winnow's resident bytes, without and with a file behind them (proc_pid_status(5)).
func (p *process) resident() (private, mapped float64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(b)) {
		var kib float64
		name, value, _ := strings.Cut(line, ":")
		if _, err := fmt.Sscanf(value, "%f kB", &kib); err != nil {
			continue
		}
		switch name {
		case "RssAnon", "RssShmem":
			private += kib * 1024
		case "RssFile":
			mapped = kib * 1024
		}
	}
	return private, mapped, nil
}
