package conformance

import (
	"fmt"
	"io"
	"strings"
)

// WriteDocument writes CONFORMANCE.md: the requirements, their sources and tests, and the results of the proxies. The
// first report is winnow's.
func WriteDocument(dst io.Writer, reports []Report) error {
	d := &document{reports: reports}
	d.intro()
	d.summary()
	d.requirements()
	d.guidelines()
	_, err := io.WriteString(dst, d.String())
	return err
}

type document struct {
	strings.Builder
	reports []Report
}

func (d *document) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *document) intro() {
	d.line("<!-- Made by: go generate ./proxy/internal/conformance -->\n\n# Conformance\n")
	d.line("What HTTP asks of a forward proxy, and what this one asks of itself: %d requirements, each with a check that drives a", len(Requirements()))
	d.line("proxy through real sockets, from outside, against an origin that the check controls. A check is made on every way that")
	d.line("its requirement applies to: plain `http` in absolute-form, and `https` inside an intercepted CONNECT, where client and")
	d.line("origin speak HTTP/1.1 or HTTP/2. Where a standard leaves a proxy the choice, every answer that it allows counts.\n")
	d.line("The test of a requirement is `TestWinnow/ID` in [conformance](internal/conformance/winnow_test.go), which must pass on every way;")
	d.line("`TestEveryCheckCanFail` beside it sees that each check fails on a proxy that is broken.\n")
	d.line("    go test ./proxy/internal/conformance -run TestWinnow       # this proxy")
	d.line("    proxy/internal/conformance/peers.sh                        # it and its peers, as processes, with their own CAs")
	d.line("    go run ./proxy/internal/conformance/cmd/conformance --help # any other proxy\n")
}

func (d *document) summary() {
	d.line("## Beside its peers\n")
	d.line("Checks met of those made, by `peers.sh` on one machine with Debian's packages. A dash is a way that the proxy does not")
	d.line("offer to clients.\n")
	d.line("| proxy | version | set up | http | https, HTTP/1.1 | https, HTTP/2 | all |")
	d.line("|---|---|---|---|---|---|---|")
	for _, r := range d.reports {
		d.line("| %s | %s | %s | %v | %v | %v | %v |", r.Name, r.Version, r.Setup, r.total(Plain), r.total(TLS1), r.total(TLS2), r.total())
	}
	d.line("")
	d.line("The peers were made for other purposes, and their versions are those of Debian 12, not the newest; mitmproxy, which people")
	d.line("use to look at what is sent, may well want to pass malformed messages on. Rows with the source “winnow” are nobody's")
	d.line("standard but ours, and we wrote the list: it has what we thought of.\n")
}

func (d *document) requirements() {
	d.line("## The requirements\n")
	d.line("A cell says on how many of the ways tried the proxy meets the requirement.\n")
	head, rule := "| test | source | requirement |", "|---|---|---|"
	for _, r := range d.reports {
		head += " " + r.Name + " |"
		rule += "---|"
	}
	for _, g := range Groups() {
		d.line("### %s\n", g.Title)
		d.line("%s\n%s", head, rule)
		for _, req := range g.Requirements {
			fmt.Fprintf(d, "| `%s` | %s | %s |", req.ID, req.Source, req.Text)
			for _, r := range d.reports {
				fmt.Fprintf(d, " %v |", r.count(req))
			}
			d.line("")
		}
		d.line("")
	}
}

func (d *document) guidelines() {
	d.line("## W3C guidelines for content transformation proxies\n")
	d.line("The [Guidelines for Web Content Transformation Proxies 1.0](https://www.w3.org/TR/2010/NOTE-ct-guidelines-20101026/)")
	d.line("(W3C Working Group Note, 26 October 2010) were written for proxies that fit pages to small screens. They ask whoever")
	d.line("claims to follow them for a statement with the reason of each departure; this is it. Points for servers, and points that only")
	d.line("say what a proxy may do, are left out.\n")
	d.line("| section | is asked | winnow | how, or why not | test |")
	d.line("|---|---|---|---|---|")
	for _, g := range guidelines() {
		test := ""
		if g.test != "" {
			test = "`" + g.test + "`"
		}
		d.line("| %s | %s | %s | %s | %s |", g.section, g.asked, g.answer, g.how, test)
	}
}
