package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/settings"
)

// patience is how long scripts wait for a process to be ready or to end. A process that takes longer hangs, even if all
// scripts run at once on a busy machine.
const patience = time.Minute

// processes are the processes that a script has started with up, by name.
type processes map[string]*process

type processesKey struct{}

// process is a winnow that runs during a script.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended

	mu     sync.Mutex
	stderr bytes.Buffer
}

// readyLine matches the line in which serve or demo --serve prints its addresses.
var readyLine = regexp.MustCompile(`ready: (?:proxy on (\S+), admin on ([^\s,]+)(?:, API on (\S+))?|open (\S+))`)

// up starts winnow and waits until it is ready: up name [WINNOW_VARIABLE=value …] serve --data data. It sets PROXY,
// ADMIN, ADMINHOST, API, VIEW and PID, and OPERATOR to ADMIN with the token of the data folder.
func up(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: up name [WINNOW_VARIABLE=value ...] args...")
	}
	variables := slices.IndexFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, settings.VariablePrefix) })
	p := &process{cmd: exec.Command("winnow", args[1+variables:]...), done: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "GORACE=" + ts.Getenv("GORACE")}
	p.cmd.Env = append(p.cmd.Env, args[1:1+variables]...)
	pipe, err := p.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	ready := make(chan []string, 1)
	go p.watch(pipe, ready)
	ts.Defer(func() { _ = p.cmd.Process.Kill(); <-p.done })
	ts.Value(processesKey{}).(processes)[args[0]] = p
	select {
	case m := <-ready:
		ts.Setenv("PID", strconv.Itoa(p.cmd.Process.Pid))
		ts.Setenv("PROXY", m[1])
		ts.Setenv("ADMIN", strings.TrimSuffix(m[2], "/"))
		ts.Setenv("ADMINHOST", strings.TrimPrefix(ts.Getenv("ADMIN"), "http://"))
		ts.Setenv("OPERATOR", operatorOf(ts, args))
		ts.Setenv("API", strings.TrimSuffix(m[3], "/api/v1/"))
		ts.Setenv("VIEW", strings.TrimSuffix(m[4], "/"))
	case <-p.done:
		ts.Fatalf("%s ended before it was ready:\n%s", args[0], p.log())
	case <-time.After(patience):
		ts.Fatalf("%s is not ready:\n%s", args[0], p.log())
	}
}

// operatorOf returns the admin address with the token in the data folder of a winnow, if there is one. The folder is
// called data where the arguments name none.
func operatorOf(ts *testscript.TestScript, args []string) string {
	dir := "data"
	if i := slices.Index(args, "--data"); i >= 0 && i+1 < len(args) {
		dir = args[i+1]
	}
	token, err := os.ReadFile(filepath.Join(ts.MkAbs(dir), "admin-token"))
	if err != nil {
		return ""
	}
	return "http://winnow:" + strings.TrimSpace(string(token)) + "@" + ts.Getenv("ADMINHOST")
}

// watch collects stderr until the process ends, and sends the parts of the ready line.
func (p *process) watch(stderr io.Reader, ready chan<- []string) {
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		p.mu.Lock()
		fmt.Fprintln(&p.stderr, lines.Text())
		p.mu.Unlock()
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			ready <- m
		}
	}
	_ = p.cmd.Wait() // ProcessState says how it ended
	close(p.done)
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// down ends a process with SIGTERM and expects exit code 0. The log of the process becomes the command's stderr.
func down(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: down name")
	}
	p := ts.Value(processesKey{}).(processes)[args[0]]
	ts.Check(p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.done:
	case <-time.After(patience):
		ts.Fatalf("%s does not end:\n%s", args[0], p.log())
	}
	fmt.Fprint(ts.Stderr(), p.log())
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		ts.Fatalf("%s ended with exit code %d:\n%s", args[0], code, p.log())
	}
}

// crash ends a process with SIGKILL: crash name.
func crash(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crash name")
	}
	p := ts.Value(processesKey{}).(processes)[args[0]]
	ts.Check(p.cmd.Process.Kill())
	<-p.done
}

// hup sends SIGHUP to a process and waits until its log matches the pattern: hup name pattern.
func hup(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hup name pattern")
	}
	p, pattern := ts.Value(processesKey{}).(processes)[args[0]], regexp.MustCompile(args[1])
	seen := len(p.log())
	ts.Check(p.cmd.Process.Signal(syscall.SIGHUP))
	for end := time.Now().Add(patience); !pattern.MatchString(p.log()[seen:]); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("%s did not log %s:\n%s", args[0], args[1], p.log()[seen:])
		}
	}
}

// origin serves a folder: origin [-tls] dir. It sets ORIGIN, and writes the certificate of -tls to origin.pem.
func origin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: origin [-tls] dir")
	}
	s := httptest.NewUnstartedServer(http.FileServer(http.Dir(ts.MkAbs(args[len(args)-1]))))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	ts.Defer(s.Close)
	if !slices.Contains(args, "-tls") {
		s.Start()
	} else {
		s.StartTLS()
		b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs("origin.pem"), b, 0o644))
	}
	ts.Setenv("ORIGIN", s.URL)
	ts.Setenv("ORIGINHOST", strings.SplitN(s.URL, "://", 2)[1])
}

// get is a small curl: get [-x [user:password@]proxy] [-from address] [-ca file] [-H field] [-X method] url. It prints
// the status, the Winnow field and the body; ! get wants the request to fail.
func get(ts *testscript.TestScript, neg bool, args []string) {
	flags := flag.NewFlagSet("get", flag.ContinueOnError)
	through := flags.String("x", "", "proxy")
	from := flags.String("from", "", "address of this machine to connect from")
	ca := flags.String("ca", "", "trusted certificates")
	field := flags.String("H", "", "request field")
	method := flags.String("X", http.MethodGet, "method")
	ts.Check(flags.Parse(args))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if *from != "" {
		transport.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(*from)}}).DialContext
	}
	if *through != "" {
		transport.Proxy = http.ProxyURL(proxyURL(*through))
	}
	if *ca != "" {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM([]byte(ts.ReadFile(*ca)))
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, *method, flags.Arg(0), nil)
	ts.Check(err)
	if k, v, ok := strings.Cut(*field, ": "); ok {
		req.Header.Set(k, v)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if neg != (err != nil) {
		ts.Fatalf("get %s: error %v", flags.Arg(0), err)
	}
	if err != nil {
		fmt.Fprintln(ts.Stderr(), err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s\nWinnow: %s\n\n%s\n", resp.Status, resp.Header.Get("Winnow"), body)
}

// await fetches an address until the answer matches the pattern: await pattern url.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await pattern url")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	pattern := regexp.MustCompile(args[0])
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		resp, err := client.Get(args[1])
		ts.Check(err)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		ts.Check(err)
		if pattern.Match(body) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s does not become %s:\n%s", args[1], args[0], body)
		}
	}
}

func proxyURL(through string) *url.URL {
	u := &url.URL{Scheme: "http", Host: through}
	if i := strings.LastIndexByte(through, '@'); i >= 0 {
		name, password, _ := strings.Cut(through[:i], ":")
		u.Host, u.User = through[i+1:], url.UserPassword(name, password)
	}
	return u
}
