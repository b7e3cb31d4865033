// Package running lets commands talk to the winnow that runs on a data folder, because they can't open its store. While
// winnow runs, the folder has a Unix socket for them, which its owner alone may open, and a file with the address of
// the admin page. On Windows, where sockets have no such owner, and where there can be no socket, they use that address
// and its token.
package running

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// fileName is the name of the file with the admin address.
const fileName = "admin-address"

// Announce writes the admin address of the winnow that has the store in dir open. withdraw removes it. An empty address
// means that there is none, and replaces the address of an earlier run.
func Announce(dir, addr string) (withdraw func(), err error) {
	file := filepath.Join(dir, fileName)
	withdraw = func() { _ = os.Remove(file) } // a stale file does no harm
	if addr == "" {
		withdraw()
		return withdraw, nil
	}
	if err := os.WriteFile(file, []byte(addr+"\n"), 0o600); err != nil {
		return withdraw, fmt.Errorf("write the admin address: %w", err)
	}
	return withdraw, nil
}

// Find returns a client of the winnow that has the store in dir open, or nil if there is no way to it. Call it only
// while the store is locked; otherwise socket and address may be stale.
func Find(dir string) *Client {
	b, _ := os.ReadFile(filepath.Join(dir, fileName)) // without the file, there is no admin address
	addr := strings.TrimSpace(string(b))
	if st, err := os.Stat(Socket(dir)); err == nil && st.Mode()&fs.ModeSocket != 0 {
		return &Client{Addr: addr, http: newHTTPClient("unix:" + Socket(dir))}
	}
	if addr == "" {
		return nil
	}
	token, _ := access.ReadToken(filepath.Join(dir, tokenFile)) // without the file, winnow asks for no token
	return &Client{Addr: addr, token: token, http: newHTTPClient(addr)}
}

// Socket is the Unix socket for commands of the winnow on dir.
func Socket(dir string) string { return filepath.Join(dir, "commands.sock") }

// newHTTPClient returns a client for an admin address, also for a Unix socket.
func newHTTPClient(addr string) *http.Client {
	transport := &http.Transport{DisableKeepAlives: true}
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
	}
	return &http.Client{Timeout: time.Minute, Transport: transport}
}

// Page says where the admin page is, for messages, or nothing where there is none.
func (c *Client) Page() string {
	if c.Addr == "" {
		return ""
	}
	return " with the admin page http://" + c.Addr + "/"
}

// Client talks to the admin address of a winnow. It is safe for concurrent use.
type Client struct {
	// Addr is the admin address: HOST:PORT, unix:PATH, or empty where there is none.
	Addr  string
	token string
	http  *http.Client
}

// ErrRefused says that the running winnow requires a password or admits only other clients.
var ErrRefused = errors.New("it refuses this command")

// Hosts lists the hosts with models.
func (c *Client) Hosts(ctx context.Context) ([]cache.HostInfo, error) {
	var answer struct {
		Hosts []cache.HostInfo `json:"hosts"`
	}
	err := c.askJSON(ctx, "hosts", &answer)
	return answer.Hosts, err
}

// Host describes one host. It returns cache.ErrNotFound if the host has no model.
func (c *Client) Host(ctx context.Context, host string) (info cache.HostInfo, err error) {
	err = c.askJSON(ctx, "hosts/"+url.PathEscape(host), &info)
	return info, err
}

// Sharing describes the exchange with other replicas. It returns cache.ErrNotFound if models are not shared.
func (c *Client) Sharing(ctx context.Context) (s cache.Sharing, err error) {
	err = c.askJSON(ctx, "sharing", &s)
	return s, err
}

// Passthrough lists the hosts that pass unopened, because a program refuses the proxy's certificate.
func (c *Client) Passthrough(ctx context.Context) ([]*intercept.Entry, error) {
	var answer struct {
		Passthrough []*intercept.Entry `json:"passthrough"`
	}
	err := c.askJSON(ctx, "passthrough", &answer)
	return answer.Passthrough, err
}

// Forget removes the model of a host. It returns cache.ErrNotFound if there is none.
func (c *Client) Forget(ctx context.Context, host string) error {
	_, err := c.ask(ctx, http.MethodDelete, "hosts/"+url.PathEscape(host))
	return err
}

// Export returns the encoded model of a host. It returns cache.ErrNotFound if there is none.
func (c *Client) Export(ctx context.Context, host string) ([]byte, error) {
	return c.ask(ctx, http.MethodGet, "hosts/"+url.PathEscape(host)+"/model")
}

// Settings returns what is set for single hosts.
func (c *Client) Settings(ctx context.Context) (map[string]sites.Settings, error) {
	var answer struct {
		Sites map[string]sites.Settings `json:"sites"`
	}
	err := c.askJSON(ctx, "settings", &answer)
	return answer.Sites, err
}

// SettingsOf returns what is set for a host.
func (c *Client) SettingsOf(ctx context.Context, host string) (r sites.Record, err error) {
	err = c.askJSON(ctx, settingsPath(host), &r)
	return r, err
}

// ImportSettings replaces what is set for several hosts: for all or, when it returns an error, for none.
func (c *Client) ImportSettings(ctx context.Context, all map[string]sites.Settings) error {
	b, err := json.Marshal(map[string]any{"sites": all})
	if err != nil {
		return err
	}
	_, err = c.send(ctx, http.MethodPost, "settings", b)
	return err
}

// UndoSettings takes back the last change of what is set for a host.
func (c *Client) UndoSettings(ctx context.Context, host string) error {
	_, err := c.ask(ctx, http.MethodPost, settingsPath(host)+"/undo")
	return err
}

// RemoveSettings removes what is set for a host, with its history.
func (c *Client) RemoveSettings(ctx context.Context, host string) error {
	_, err := c.ask(ctx, http.MethodDelete, settingsPath(host))
	return err
}

func settingsPath(host string) string { return "hosts/" + url.PathEscape(host) + "/settings" }

// askJSON reads the answer to a GET.
func (c *Client) askJSON(ctx context.Context, path string, into any) error {
	b, err := c.ask(ctx, http.MethodGet, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.Addr, err)
	}
	return nil
}

// Close does nothing; [*cache.Models] has the same method.
func (c *Client) Close(context.Context) error { return nil }

// refusedError is what the running winnow says of settings that it does not take.
type refusedError struct {
	detail string
	cause  error
}

// Error implements error.
func (e *refusedError) Error() string { return e.detail }

// Unwrap returns the error of package sites that it stands for.
func (e *refusedError) Unwrap() error { return e.cause }

// maxAnswer bounds the size of an answer in bytes.
const maxAnswer = 256 << 20

func (c *Client) ask(ctx context.Context, method, path string) ([]byte, error) {
	return c.send(ctx, method, path, nil)
}

// send asks with a body.
func (c *Client) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	host := c.Addr
	if host == "" || strings.HasPrefix(host, "unix:") {
		host = "localhost"
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+host+"/api/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the running winnow: %w", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("ask the running winnow: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusOK, http.StatusNoContent:
		return b, nil
	case http.StatusNotFound:
		return nil, cache.ErrNotFound
	case http.StatusUnprocessableEntity, http.StatusConflict:
		var said problem.Document
		if err := json.Unmarshal(b, &said); err != nil {
			return nil, fmt.Errorf("read the answer of %s: %w", c.Addr, err)
		}
		err := sites.ErrInvalid
		if resp.StatusCode == http.StatusConflict {
			err = sites.ErrNoChange
		}
		return nil, &refusedError{said.Detail, err}
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, fmt.Errorf("winnow runs at %s: %w: %s: see http://%s/, or stop it first", c.Addr, ErrRefused, resp.Status, c.Addr)
	}
	return nil, fmt.Errorf("winnow runs at %s and answers %s: %s", c.Addr, resp.Status, strings.TrimSpace(string(b)))
}
