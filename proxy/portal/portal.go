// Package portal is the proxy's own web site for setting up devices: instructions, the CA certificate and the PAC file.
package portal

import (
	"embed"
	"io"
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/source"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/problem"
	"github.com/winnow-proxy/winnow/proxy/words"
)

//go:embed portal.html
var assets embed.FS

// portal serves the site at hostname.Portal through the proxy and at the proxy's own address.
type portal struct {
	Options
	index  *ownpages.Page
	tokens *ownpages.Tokens
}

// Options configure the portal. CA and Site may be nil, which leaves them out.
type Options struct {
	// Listen is the address of the proxy's listener.
	Listen string
	CA     Certificate
	// Forget drops the refused certificates of a client (its exchange.Name), so that all sites are intercepted again.
	Forget func(client string)
	// Devices keep the modes that devices want on all sites; nil leaves that out.
	Devices Devices
	// Site serves the pages about single sites, below /site/.
	Site http.Handler
}

// Devices keep the modes that devices want on all sites, by the name that exchange.Name has. *sites.Devices implements
// it. It must be safe for concurrent use.
type Devices interface {
	Mode(device string) (mode page.Mode, ok bool)
	Choose(device string, mode page.Mode) error
	Forget(device string) error
}

// New makes the handler of the portal.
func New(o Options) (http.Handler, error) {
	t, err := ownpages.Parse(assets, "portal.html", words.All())
	if err != nil {
		return nil, err
	}
	p := &portal{Options: o, index: t, tokens: ownpages.NewTokens(nil)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.serveIndex)
	mux.HandleFunc("POST /retry", p.retry)
	if o.Devices != nil {
		mux.HandleFunc("POST /mode", p.choose)
	}
	mux.HandleFunc("GET "+ownpages.StylePath, ownpages.ServeStyle)
	mux.HandleFunc("GET "+source.StylesPath+"{name}", serveStyles)
	if o.Site != nil {
		mux.Handle("/site/", o.Site)
	}
	mux.HandleFunc("GET /proxy.pac", p.servePAC)
	mux.HandleFunc("GET /wpad.dat", p.servePAC)
	if ca := o.CA; ca != nil {
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
	if p.CA != nil {
		fingerprint = p.CA.Fingerprint()
	}
	var token string
	if client := exchange.Name(r.Context()); client != "" {
		token = p.tokens.For(client, "retry")
	}
	addr := reachableAddr(r, p.Listen)
	through := exchange.Name(r.Context()) != "" && r.URL.IsAbs()
	var modes []deviceMode
	if through && p.Devices != nil {
		modes = p.modes(exchange.Name(r.Context()))
	}
	err := ownpages.Write(w, r, http.StatusOK, p.index, map[string]any{"Token": token, "HasCA": p.CA != nil, "Fingerprint": fingerprint, "Secure": "https://" + hostname.Portal + "/", "Here": "http://" + hostname.Portal + "/", "PAC": "http://" + addr + "/proxy.pac",
		"Host": hostname.WithoutPort(addr), "Port": addr[strings.LastIndexByte(addr, ':')+1:], "Devices": ordered(r.UserAgent(), addr),
		"Known": deviceOf(r.UserAgent()) != "", "Through": through, "Modes": modes, "ModeToken": p.tokens.For(exchange.Name(r.Context()), "mode"),
		"Chosen": r.URL.Query().Has("chosen"), "Trusted": through && r.URL.Scheme == "https"}, "")
	if err != nil {
		problem.Write(w, http.StatusInternalServerError, "the page could not be made")
	}
}

func (p *portal) servePAC(w http.ResponseWriter, r *http.Request) {
	WritePAC(w, r, reachableAddr(r, p.Listen))
}

// serveStyles serves the styles of cleaned pages. A page that another version wrote gets today's.
func serveStyles(w http.ResponseWriter, r *http.Request) {
	styles, current := source.ParseStyles(r.PathValue("name"))
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "max-age=60")
	if current {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // for pages that require it of what they load
	h.Set("Access-Control-Allow-Origin", "*")             // scripts of pages go through the rules of all their style sheets
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = io.WriteString(w, styles.CSS()) // a client that left needs no answer
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
