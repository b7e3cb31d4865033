//go:build unix

package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The admin address has descriptors of its own: probes are answered while clients have all the others.
func TestAdminAnswersWhileClientsHaveAllDescriptors(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	winnow := filepath.Join(dir, "winnow") // under this name the test binary is winnow
	if err := os.Symlink(self, winnow); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -n 300; exec "$0" serve --data "$1" --listen 127.0.0.1:0 --admin 127.0.0.1:0`, winnow, dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = cmd.Wait() }()
	var proxy, admin string
	for lines := bufio.NewScanner(stderr); proxy == "" && lines.Scan(); {
		if m := readyLine.FindStringSubmatch(lines.Text()); m != nil {
			proxy, admin = m[1], m[2]
		}
	}
	var held []net.Conn
	for range 400 {
		c, err := net.DialTimeout("tcp", proxy, time.Second)
		if err != nil {
			break
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprint(c, "GET http://127.0.0.1/ HTTP/1.1\r\nX-Slow: ")
		held = append(held, c)
	}
	time.Sleep(100 * time.Millisecond) // until winnow has accepted as many as it can
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 5 {
		resp, err := client.Get(admin + "readyz")
		if err != nil {
			t.Fatalf("with %d connections: %v", len(held), err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("with %d connections: %s", len(held), resp.Status)
		}
	}
}
