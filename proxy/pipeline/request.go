package pipeline

import (
	"cmp"
	"context"
	"hash/crc32"
	"net/http"
	"net/url"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Job is the state of one request until its response arrives.
type Job struct {
	ctx       context.Context
	client    string // as exchange.Name has it
	relayed   bool   // another proxy relays the answer, to clients of its own
	method    string
	host      string // canonical
	url, path string
	mode      page.Mode
	policy    page.Policy
	form      page.Form // links and chunks; the rest is filled in when the page is written
	unlearned bool      // the client does not want the page to be learned
	// framed says that a page shows the answer in a frame, and told that who asks is told of the model; see
	// discreet.go.
	framed, told bool
	authorized   bool
	bypass       bool
	reason       Reason // why the answer passes whatever it is, method and bypass left out
	err          error  // what the request asks for in vain
	accepted     acceptedCodings
	conditionals conditional
	// smaller says that a picture is to be made smaller; width is how wide the client wants it, 0 where it does not say.
	// vintage says that it is to be one that old browsers know.
	smaller, vintage bool
	width            int
	// chooses says that the client may choose a mode by cookie.
	chooses bool
	// varies is set with the response, see [Job.mayVary].
	varies bool
}

// Request prepares req, the outgoing clone of the client's request. It removes Winnow-Mode, limits Accept-Encoding to
// what can be decoded, and translates our entity tags back into the origin's. req.URL must be the URL that is fetched,
// because it names the host's model. If req still has its connection fields, it recognises upgrades by them.
//
// A nil Pipeline passes everything. Like Response, it never fails: if a hook panics, the answer passes.
func (pl *Pipeline) Request(req *http.Request) (x *Job) {
	if pl == nil {
		return nil
	}
	x = newJob(req)
	if model.Contain(func() error { pl.prepare(x, req); return nil }) != nil {
		x.reason = ReasonPanic
	}
	return x
}

// prepare is Request without containment of panics.
func (pl *Pipeline) prepare(x *Job, req *http.Request) {
	h := readRequest(req.Header)
	asked := len(req.Header[modeHeader]) > 0
	vintage, plain := pl.opts.Vintage(x.ctx, req.URL.Hostname())
	fallback := pl.modeOf(x.host)
	if vintage {
		fallback = page.ModeVintage
	}
	mode, modeErr := chooseMode(h, fallback)
	mode = pl.chosenMode(x, h, mode, asked)
	x.framed, x.told = isFramed(h.Header), h.isProgram()
	policy, policyErr := choosePolicy(req.Header, pl.opts.PolicyOf(x.host))
	form, unlearned, formErr := chooseForm(req.Header)
	x.mode, x.policy, x.form, x.unlearned, x.err = mode, policy, form, unlearned, cmp.Or(modeErr, policyErr, formErr)
	x.form.InBrowser = mode == page.ModeRemove && h.isBrowser()
	if mode == page.ModeVintage {
		pl.chooseVintage(x, req.Header, plain)
	}
	if pl.opts.Bar && mode == page.ModeAuto && h.isBrowser() && isTopLevel(req.Header) {
		x.form.Bar = pl.barAddress(x)
	}
	x.reason = cmp.Or(requestReason(h), reasonOf(mode), x.reason)
	if x.bypass = pl.opts.Bypass(x.host); !x.bypass {
		pl.askForPicture(x, req.Header, mode, asked)
	}
	mayClean := x.method == http.MethodGet && x.reason == "" && !x.bypass
	if mayClean {
		req.Header["Accept-Encoding"] = x.accepted.offer(req.Header["Accept-Encoding"])
	}
	fresh := func(v variant) bool {
		gen, known := pl.generation(x)
		return known && v == pl.variant(x, gen)
	}
	x.conditionals = mapConditionals(req.Header, fresh, mayClean && h.asksForDocument())
}

// modeOf returns the mode for the clients of a host that ask for none.
func (pl *Pipeline) modeOf(host string) page.Mode {
	if mode, ok := pl.opts.ModeOf(host); ok {
		return mode
	}
	return pl.opts.Mode
}

// chosenMode returns the mode of a request: where a browser asks for none, what the client chose by cookie for the
// site, else what its device wants on all sites.
func (pl *Pipeline) chosenMode(x *Job, h requestHeader, mode page.Mode, asked bool) page.Mode {
	browser := h.isBrowser()
	if pl.opts.Choices != nil {
		x.chooses = browser
		chosen, ok := pl.opts.Choices.Take(h.Header, x.host)
		switch {
		case !ok || !browser || asked:
		case chosen == page.ModeAuto: // cleaned, whatever the device wants elsewhere
			return mode
		default:
			return chosen
		}
	}
	if chosen, ok := pl.opts.DeviceMode(x.ctx); ok && browser && !asked {
		return chosen
	}
	return mode
}

// isTopLevel reports whether a browser requests a page rather than a frame inside one.
func isTopLevel(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return dest == "" || dest == "document"
}

// barAddress returns the address of winnow's page about the page.
func (pl *Pipeline) barAddress(x *Job) string {
	scheme, _, _ := strings.Cut(x.url, ":")
	to := scheme + "://" + hostname.Portal + "/site/" + x.host + "?page=" + url.QueryEscape(x.url)
	if pl.opts.Choices != nil {
		to += "&shown=" + pl.opts.Choices.Shown(exchange.Device(x.ctx), x.url)
	}
	return to
}

// Err returns a [*FieldError] if the request asks for an unknown mode or kind, otherwise nil.
func (x *Job) Err() error {
	if x == nil {
		return nil
	}
	return x.err
}

// newJob returns the job of a request as it arrived.
func newJob(req *http.Request) *Job {
	u := *req.URL
	x := &Job{
		ctx: req.Context(), client: exchange.Name(req.Context()), relayed: exchange.Relayed(req.Context()), method: req.Method, path: u.Path,
		authorized: req.Header.Get("Authorization") != "" || u.User != nil,
		accepted:   readAcceptEncoding(req.Header),
	}
	var err error
	if x.host, err = hostname.SiteOf(req.URL); err != nil {
		x.reason = ReasonModel // a host without a name has no model
	}
	u.Host, u.User, u.Fragment, u.RawFragment = x.host, nil, "", "" // one page, one URL
	x.url = u.String()
	return x
}

// variant returns the variant of a page that a model of this generation judges.
func (pl *Pipeline) variant(x *Job, gen generation) variant {
	return variant{x.mode, gen, pl.opts.Judge(x.host) ^ policyPrint(x.policy) ^ formPrint(x.form)}
}

// formPrint is a fingerprint of a form; that of the zero form is 0.
func formPrint(f page.Form) uint32 {
	sum := uint32(f.Links)*0xc2b2ae35 ^ uint32(f.ChunkTokens)*0x27d4eb2f
	if f.Bar != "" {
		sum ^= 0x165667b1
	}
	if f.InBrowser {
		sum ^= 0x9e3779b9
	}
	if f.Plain != nil {
		sum ^= 0x85ebca6b
	}
	return sum ^ uint32(f.PictureWidth)*0x9e3779b1 ^ crc32.ChecksumIEEE([]byte(f.Charset))
}

// policyPrint is a fingerprint of a policy; that of the zero policy is 0.
func policyPrint(p page.Policy) uint32 { return uint32(p.Keep)*0x9e3779b1 ^ uint32(p.Drop)*0x85ebca77 }

// reasonOf returns why pages pass in a mode.
func reasonOf(mode page.Mode) Reason {
	if mode == page.ModeOff {
		return ReasonModeOff
	}
	return ""
}
