package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	"syscall"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/certs"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/flags"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
)

// Bounds of the checks.
const (
	// caWarnBefore is how long before its expiry a CA should be replaced: every client has to install the new one.
	caWarnBefore = 60 * 24 * time.Hour
	// clockTolerance is the tolerated difference to an origin's clock. Certificates are backdated by more.
	clockTolerance = 5 * time.Minute
)

// adminAddress checks whether winnow is running and ready.
func (d *doctor) adminAddress(ctx context.Context) Finding {
	addr := d.Admin
	if addr == "" {
		return found(Skipped, "no admin address is set (--admin)", "")
	}
	if f, free := d.free(ctx, addr, "--admin"); free {
		return f
	}
	status, body, err := d.ask(ctx, "http://"+flags.Reachable(addr)+"/readyz")
	answer, ready := readiness(body)
	switch {
	case err == nil && !ready && d.isPage(ctx, addr):
		return found(Fail, addr+" is the address of winnow's proxy, not of its admin page", "give the --admin of the running winnow")
	case err != nil || !ready:
		return found(Fail, addr+" is in use by another program", "choose another --admin, or stop the program that has it")
	}
	d.running, d.unsaved = true, answer.Store
	if status != http.StatusOK {
		return found(Fail, "winnow runs at "+addr+" and is not ready: "+answer.Error, "wait a moment; if it does not become ready, see its log")
	}
	if answer.Late != "" {
		return found(Warn, "winnow runs at "+addr+"; "+answer.Late, "its log names the stage and the host: please report what keeps it busy")
	}
	return found(OK, "winnow runs at "+addr+" and is ready", "")
}

// readinessAnswer is an answer of /readyz.
type readinessAnswer struct{ Status, Error, Store, Late string }

// readiness reads an answer of /readyz, and reports whether it is one.
func readiness(body []byte) (a readinessAnswer, ok bool) {
	err := json.Unmarshal(body, &a)
	return a, err == nil && (a.Status != "" || a.Error != "")
}

// isPage reports whether winnow's set-up page or its admin page is at addr.
func (d *doctor) isPage(ctx context.Context, addr string) bool {
	_, body, err := d.ask(ctx, "http://"+flags.Reachable(addr)+"/")
	return err == nil && strings.Contains(string(body), "<title>winnow")
}

// proxyAddress checks whether the proxy's address is free or used by the proxy.
func (d *doctor) proxyAddress(ctx context.Context) Finding {
	addr := d.Listen
	if f, free := d.free(ctx, addr, "--listen"); free {
		if f.Result == OK && d.running {
			return found(Fail, "winnow runs, but nothing listens at "+addr, "give the --listen of the running winnow")
		}
		return f
	}
	_, body, err := d.ask(ctx, "http://"+flags.Reachable(addr)+"/readyz")
	if _, admin := readiness(body); err == nil && admin {
		return found(Fail, addr+" is the address of winnow's admin page, not of its proxy", "give the --listen of the running winnow")
	}
	if err != nil && d.running {
		return found(Warn, addr+" is in use, and closes connections from this machine",
			"this is intended if --allow-client excludes this machine; otherwise check whether winnow uses the address")
	}
	if err != nil || !d.isPage(ctx, addr) {
		return found(Fail, addr+" is in use by another program", "choose another --listen, or stop the program that has it")
	}
	return found(OK, "winnow serves at "+addr, "")
}

// free tries to listen at addr. It returns false when the address is in use.
func (d *doctor) free(ctx context.Context, addr, flag string) (f Finding, free bool) {
	l, err := flags.Listen(ctx, flag, addr)
	switch {
	case err == nil:
		l.Close()
		return found(OK, addr+" is free", ""), true
	case errors.Is(err, syscall.EADDRINUSE):
		return Finding{}, false
	case errors.Is(err, fs.ErrPermission):
		return broken(err, "ports below 1024 need root: choose a higher one"), true
	}
	return broken(err, "choose an address of this machine"), true
}

// ask fetches from this machine directly, without any proxy.
func (d *doctor) ask(ctx context.Context, url string) (status int, body []byte, err error) {
	t := &http.Transport{DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, body, err
}

// dataFolder checks whether the data folder can be written, and whether other users can access it.
func (d *doctor) dataFolder(context.Context) Finding {
	dir := d.Data
	folder, err := os.Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found(OK, dir+" does not exist yet; winnow serve makes it", "")
	case errors.Is(err, fs.ErrPermission):
		d.closed = true
		return broken(err, "run winnow as the user that "+dir+" belongs to, or give another --data")
	case err != nil:
		d.closed = true
		return broken(err, "give --data a folder")
	}
	_ = folder.Close() // it was only read
	switch err := cache.CheckFolder(dir); {
	case errors.Is(err, cache.ErrFolderReadable):
		return found(Warn, err.Error(), "")
	case err != nil:
		d.closed = !errors.Is(err, cache.ErrFolderWritable)
		return broken(err, "")
	}
	return d.writeTo(dir)
}

// writeTo checks whether this user may write to the data folder, and whether the disk has room.
func (d *doctor) writeTo(dir string) Finding {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return broken(err, "give this user the right to write to "+dir)
	}
	_, err = f.Write(make([]byte, 4096))
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return broken(err, "check whether the disk is full")
	}
	return found(OK, dir+" can be written", "")
}

// unseen is the finding for the contents of a data folder that can't be read.
func unseen() Finding { return found(Skipped, "the data folder has to be fixed first", "") }

// ca checks whether there is a CA, when it expires and whether this machine trusts it.
func (d *doctor) ca(context.Context) Finding {
	if d.closed {
		return unseen()
	}
	if _, err := os.Stat(filepath.Join(d.Data, "ca.pem")); errors.Is(err, fs.ErrNotExist) {
		return found(OK, "there is no CA yet; winnow serve creates it", "")
	}
	a, err := certs.LoadOrCreate(d.Data, d.Now)
	if err != nil {
		return broken(err, "")
	}
	cert := a.Certificate()
	if left := cert.NotAfter.Sub(d.Now()); left < caWarnBefore {
		return found(Warn, fmt.Sprintf("it expires on %s, in %d days", cert.NotAfter.Format(time.DateOnly), int(left.Hours()/24)),
			"remove ca.pem and ca-key.pem from "+d.Data+", restart winnow to create a new one, and install that on the clients")
	}
	if _, err := cert.Verify(x509.VerifyOptions{CurrentTime: d.Now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err != nil {
		return found(Warn, "this machine does not trust it, so its browsers warn about every https page",
			"winnow ca install; other devices: open http://winnow.internal/ through the proxy")
	}
	return found(OK, "this machine trusts it, and it is valid until "+cert.NotAfter.Format(time.DateOnly), "")
}

// store checks whether the store is sound, as far as possible while winnow uses it.
func (d *doctor) store(context.Context) Finding {
	switch {
	case d.unsaved != "":
		return found(Fail, "the running winnow can't write it: "+d.unsaved, "check whether the disk is full or the data folder is gone; winnow's log says more")
	case d.closed:
		return unseen()
	}
	err := boltstore.Check(d.Data, time.Second)
	switch {
	case errors.Is(err, boltstore.ErrLocked) && d.running:
		return found(OK, "in use by the running winnow, which checked it when it opened it", "")
	case errors.Is(err, boltstore.ErrLocked):
		if client := running.Find(d.Data); client != nil {
			return found(Warn, "in use by the running winnow"+client.Page(),
				"to check that one, give its --admin and --listen; to start another, give another --data")
		}
		return found(Fail, "another process has it open", "stop that process, or give another --data")
	case errors.Is(err, fs.ErrPermission):
		return broken(err, "run winnow as the user that the file belongs to")
	case err != nil:
		return broken(err, "nothing: at the next start winnow sets it aside and continues with an empty one")
	}
	aside, err := filepath.Glob(filepath.Join(d.Data, "models.db.*-*"))
	if err == nil && len(aside) > 0 {
		return found(Warn, fmt.Sprintf("it is sound; %d earlier ones were set aside: %s", len(aside), strings.Join(aside, ", ")),
			"see the log for the reason, check the disk, and remove them")
	}
	return found(OK, "it is sound", "")
}

// origins fetches the probe as the proxy would, and compares clocks.
func (d *doctor) origins(ctx context.Context) Finding {
	if d.Probe == "" {
		return found(Skipped, "no --probe is set", "")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, d.Probe, nil)
	if err != nil {
		return broken(err, "give --probe an http or https address")
	}
	transport, err := d.Transport()
	if err != nil {
		return broken(err, "")
	}
	asked := d.Now()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return d.unreachable(req.URL, err)
	}
	defer resp.Body.Close()
	date, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return found(OK, d.Probe+" answers; it sends no time", "")
	}
	if off := asked.Sub(date); off.Abs() > clockTolerance {
		return found(Fail, fmt.Sprintf("the clock here is off by %s from that of %s", off.Round(time.Second), req.URL.Host),
			"set the clock (timedatectl set-ntp true): the validity of certificates depends on it")
	}
	return found(OK, d.Probe+" answers, and the clocks agree", "")
}

func (d *doctor) unreachable(u *url.URL, err error) Finding {
	var invalid x509.CertificateInvalidError
	var dns *net.DNSError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return broken(err, "check the clock: here it is "+d.Now().Format(time.DateTime))
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return broken(err, "if a proxy between here and the origin intercepts TLS, give its CA with --upstream-ca")
	case errors.As(err, &dns):
		return broken(err, "check the network and the name resolution of this machine")
	}
	return broken(err, "check whether "+u.Host+" is reachable from here, or only through a proxy (--upstream-proxy)")
}
