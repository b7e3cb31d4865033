package pipeline

import (
	"cmp"
	"hash/crc32"
	"net/http"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/model/page/write/source"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Request prepares req, the outgoing clone of the client's request. It removes Winnow-Mode, limits Accept-Encoding to
// what can be decoded, and translates our entity tags back into the origin's. req.URL must be the URL that is fetched,
// because it names the host's model. If req still has its connection fields, it recognises upgrades by them.
//
// A nil Pipeline passes everything. Like Response, it never fails: if a hook panics, the answer passes.
func (pl *Pipeline) Request(req *http.Request) (x *Job) {
	if pl == nil {
		return nil
	}
	x = newJob(pl, req)
	if model.Contain(func() error { x.prepare(req); return nil }) != nil {
		x.reason = ReasonPanic
	}
	return x
}

// prepare is Request without containment of panics.
func (x *Job) prepare(req *http.Request) {
	h := readRequest(req.Header)
	asked := len(req.Header[modeHeader]) > 0
	vintage, plain := x.pl.opts.Vintage(x.ctx, req.URL.Hostname())
	fallback := x.pl.modeOf(x.host)
	if vintage {
		fallback = page.ModeVintage
	}
	mode, modeErr := chooseMode(h, fallback)
	mode = x.chosenMode(h, mode, asked)
	x.framed, x.byProgram = isFramed(h.Header), h.isProgram()
	policy, policyErr := choosePolicy(req.Header, x.pl.opts.PolicyOf(x.host))
	form, unlearned, formErr := chooseForm(req.Header)
	x.mode, x.policy, x.form, x.unlearned, x.err = mode, policy, form, unlearned, cmp.Or(modeErr, policyErr, formErr)
	x.form.InBrowser = mode == page.ModeRemove && h.isBrowser()
	if mode == page.ModeVintage {
		x.chooseVintage(req.Header, plain)
	}
	offers := mode == page.ModeAuto || (mode == page.ModeReader || mode == page.ModeLite) && !asked // else there is no way back
	if x.pl.opts.Bar && offers && h.isBrowser() && isTopLevel(req.Header) {
		x.addressBar()
	}
	x.reason = cmp.Or(requestReason(h), reasonOf(mode), x.reason)
	if x.bypass = x.pl.opts.Bypass(x.host); !x.bypass {
		x.askForPicture(req.Header, mode, asked)
	}
	mayClean := x.method == http.MethodGet && x.reason == "" && !x.bypass
	if mayClean {
		req.Header["Accept-Encoding"] = x.accepted.offer(req.Header["Accept-Encoding"])
	}
	fresh := func(v variant) bool {
		gen, known := x.generation()
		return known && v == x.variant(gen, v.basis) && x.pl.scripts.stands(v.basis)
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
func (x *Job) chosenMode(h requestHeader, mode page.Mode, asked bool) page.Mode {
	browser := h.isBrowser()
	if x.pl.opts.Choices != nil {
		x.chooses = browser
		chosen, ok := x.pl.opts.Choices.Take(h.Header, x.host)
		switch {
		case !ok || !browser || asked:
		case chosen == page.ModeAuto: // cleaned, whatever the device wants elsewhere
			return mode
		default:
			return chosen
		}
	}
	if chosen, ok := x.pl.opts.DeviceMode(x.ctx); ok && browser && !asked {
		return chosen
	}
	return mode
}

// isTopLevel reports whether a browser requests a page rather than a frame inside one.
func isTopLevel(h http.Header) bool {
	dest := h.Get("Sec-Fetch-Dest")
	return dest == "" || dest == "document"
}

// addressBar sets the addresses of winnow's page about the page, of the sheet that opens over it, and of the styles.
// The sheet is for those to whom a signature shows that it was offered. Behind another proxy, winnow's host may have no
// address: there the page has its styles itself.
func (x *Job) addressBar() {
	scheme, _, _ := strings.Cut(x.url, ":")
	// What the page may have as well packs better than %3A%2F%2F, and a query may have it (RFC 3986 §3.4).
	inQuery := strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", "#", "%23", ";", "%3B", " ", "%20")
	own, query := scheme+"://"+hostname.Portal, "?page="+inQuery.Replace(x.url)
	site := own + "/site/" + x.host
	if x.pl.opts.Choices != nil {
		query += "&shown=" + x.pl.opts.Choices.Shown(exchange.Device(x.ctx), x.url)
		x.form.Sheet = site + "/sheet" + query
	}
	if !x.relayed {
		x.form.Styles = own + source.StylesPath
	}
	x.form.Bar = site + query
}

// Err returns a [*FieldError] if the request asks for an unknown mode or kind, otherwise nil.
func (x *Job) Err() error {
	if x == nil {
		return nil
	}
	return x.err
}

// variant returns the variant of a page that a model of this generation judges, and whose form rests on b.
func (x *Job) variant(gen generation, b basis) variant {
	return variant{x.mode, gen, x.pl.opts.Judge(x.host) ^ policyPrint(x.policy) ^ formPrint(x.form), b}
}

// formPrint is a fingerprint of a form; that of the zero form is 0.
func formPrint(f write.Form) uint32 {
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
func policyPrint(p policy.Policy) uint32 {
	return uint32(p.Keep)*0x9e3779b1 ^ uint32(p.Drop)*0x85ebca77
}

// reasonOf returns why pages pass in a mode.
func reasonOf(mode page.Mode) Reason {
	if mode == page.ModeOff {
		return ReasonModeOff
	}
	return ""
}
