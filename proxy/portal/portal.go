// Package portal is the proxy's own web site for setting up devices: instructions, the CA certificate and the PAC file.
package portal

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

//go:embed portal.html
var portalPage string

// portal serves the site at hostname.Portal through the proxy and at the proxy's own address.
type portal struct {
	listen string
	ca     Certificate
	index  *template.Template
	retry  *retry
}

// New makes the handler of the portal. forget is called for a client, by the name that exchange.Name has, that wants to try
// again with all sites whose certificate it has refused.
func New(listen string, ca Certificate, forget func(client string)) (http.Handler, error) {
	t, err := template.New("portal").Parse(portalPage)
	if err != nil {
		return nil, err
	}
	p := &portal{listen: listen, ca: ca, index: t, retry: newRetry(forget)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.serveIndex)
	mux.Handle("POST /retry", p.retry)
	mux.HandleFunc("GET /proxy.pac", p.servePAC)
	mux.HandleFunc("GET /wpad.dat", p.servePAC)
	if ca != nil {
		mux.HandleFunc("GET /ca.pem", certificate("application/x-pem-file", "winnow-ca.pem", ca.PEM))
		mux.HandleFunc("GET /ca.der", certificate("application/x-x509-ca-cert", "winnow-ca.crt", ca.DER))
		mux.HandleFunc("GET /ca.crt", certificate("application/x-x509-ca-cert", "winnow-ca.crt", ca.DER))
		mux.HandleFunc("GET /ca.mobileconfig",
			certificate("application/x-apple-aspen-config", "winnow-ca.mobileconfig", ca.MobileConfig))
	}
	return mux, nil
}

func (p *portal) serveIndex(w http.ResponseWriter, r *http.Request) {
	var fingerprint string
	if p.ca != nil {
		fingerprint = p.ca.Fingerprint()
	}
	var token string
	if client := exchange.Name(r.Context()); client != "" {
		token = p.retry.token(client, time.Now())
	}
	addr := reachableAddr(r, p.listen)
	var b bytes.Buffer
	err := p.index.Execute(&b, map[string]any{"Token": token, "HasCA": p.ca != nil, "Fingerprint": fingerprint, "Magic": hostname.Portal,
		"Addr": addr, "Host": hostname.WithoutPort(addr), "Port": addr[strings.LastIndexByte(addr, ':')+1:]})
	if err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes())
}

func (p *portal) servePAC(w http.ResponseWriter, r *http.Request) {
	WritePAC(w, r, reachableAddr(r, p.listen))
}

// certificate serves one form of the CA certificate.
func certificate(contentType, name string, body func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		_, _ = w.Write(body())
	}
}

// Certificate is the public half of the local CA in the forms that devices install.
type Certificate interface {
	// PEM returns the certificate in PEM form.
	PEM() []byte
	// DER returns the certificate in DER form.
	DER() []byte
	// MobileConfig returns an Apple configuration profile with the certificate.
	MobileConfig() []byte
	// Fingerprint returns the SHA-256 of the DER form, for people to compare.
	Fingerprint() string
}
