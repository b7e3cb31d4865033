package pipeline

import (
	"context"
	"net/http"
	"net/url"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Job is one response on its way: what the request asks for, and what the stages have made of the page so far.
type Job struct {
	pl *Pipeline
	request
	// work is nil for a response that is no page.
	*work
}

// request is what a request asks for. Nothing changes it once the response has arrived.
type request struct {
	ctx       context.Context
	client    string // as exchange.Name has it
	relayed   bool   // another proxy relays the answer, to clients of its own
	method    string
	host      string // canonical
	url, path string
	mode      page.Mode
	policy    policy.Policy
	form      write.Form // links and chunks; the rest is filled in when the page is written
	unlearned bool       // the client does not want the page to be learned
	// framed says that a page shows the answer in a frame, byProgram that no browser asks, whose scripts could read what
	// the answer says about the model; see discreet.go.
	framed, byProgram bool
	authorized        bool
	bypass            bool
	reason            Reason // why the answer passes whatever it is, method and bypass left out
	err               error  // what the request asks for in vain
	accepted          acceptedCodings
	conditionals      conditional
	// smaller says that a picture is to be made smaller; width is how wide the client wants it, 0 where it does not say.
	// vintage says that it is to be one that old browsers know.
	smaller, vintage bool
	width            int
	// chooses says that the client may choose a mode by cookie.
	chooses bool
	// varies is set with the response, see [Job.mayVary].
	varies bool
}

// work is the page of a job between two stages. It belongs to the goroutine that runs the stages: [Job.aside] lends it
// to another one, and where that takes too long, it has it no more.
type work struct {
	// resp is the response, for the stages of arrival alone. A page that was left behind must not change it.
	resp *http.Response
	// body holds the origin's body back, coded is all of it, with its codings and a copy of the header.
	body    *held
	coded   []byte
	codings []string
	header  http.Header

	// within ends the work. place is the place that the page has, and release gives its memory back; nil while it has
	// none. watch is nil where nobody watches.
	within  context.Context
	place   *place
	release func()
	watch   *watched

	// src is the body without its codings, and cost what its tree takes in memory.
	src  []byte
	cost int64
	// recipe is nil where a page can have none. recalled says that the page is written by the one of an earlier page.
	recipe   *recipeState
	recalled bool

	page    *page.Page
	marking *page.Marking
	visit   model.Visit
	// learned says that the page is learned as far as it may be, later that it is queued for that at the end.
	learned, later bool

	// applied is the marking after the policy, out what was written by it, and basis what that rests on.
	applied *page.Marking
	out     *write.Output
	basis   basis
	content digest
	judge   judge
	// cleaned describes the page for its header, encoded is its body.
	cleaned cleanedPage
	encoded []byte
}

// judge is what the answer says about the model that judged a page.
type judge struct {
	pages int
	gen   generation
	estimate
}

// estimate is what the model expects of a page: the quality that such pages have had, 0 where it is unknown or
// withheld, and whether next to nothing is left to read.
type estimate struct {
	confidence float32
	thin       bool
}

// newJob returns the job of a request as it arrived.
func newJob(pl *Pipeline, req *http.Request) *Job {
	x := &Job{pl: pl, request: request{
		ctx: req.Context(), client: exchange.Name(req.Context()), relayed: exchange.Relayed(req.Context()), method: req.Method, path: req.URL.Path,
		authorized: req.Header.Get("Authorization") != "" || req.URL.User != nil,
		accepted:   readAcceptEncoding(req.Header),
	}}
	if err := x.locate(req.URL); err != nil {
		x.reason = ReasonModel // a host without a name has no model
	}
	return x
}

// locate names the host of the page and its address: one page, one URL.
func (x *Job) locate(u *url.URL) (err error) {
	at := *u
	x.host, err = hostname.SiteOf(u)
	at.Host, at.User, at.Fragment, at.RawFragment = x.host, nil, "", ""
	x.url = at.String()
	return err
}

// account returns the account of the client.
func (x *Job) account() account { return account{x.pl.shares, x.client, !x.shared()} }

// giveBack gives back the memory of the page, where it has some.
func (x *Job) giveBack() {
	if x.release != nil {
		x.release()
		x.release = nil
	}
}
