package visibility

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
)

// seen returns the words of the blocks that a browser would show.
func seen(t *testing.T, src string) string {
	t.Helper()
	p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	unseen := Unseen(p)
	var words []string
	for b, bl := range p.Blocks {
		if !unseen[bl.Element] {
			words = append(words, string(p.BlockText(nil, page.BlockID(b))))
		}
	}
	return strings.Join(words, " ")
}

// Ways of hiding text from people, each around the word "hidden". A language model must not read that text.
func TestUnseen(t *testing.T) {
	for _, hiding := range []string{
		`<div style="display:none">hidden</div>`,
		`<div style="color: red; DISPLAY : None !important">hidden</div>`,
		`<div style="visibility:hidden"><p>hidden</p></div>`,
		`<div hidden>hidden</div>`,
		`<p style="opacity:0">hidden</p>`,
		`<p style="opacity: 0.0; color: black">hidden</p>`,
		`<p style="font-size:0">hidden</p>`,
		`<p style="font-size:0px">hidden</p>`,
		`<div style="height:0;overflow:hidden">hidden</div>`,
		`<div style="max-height:0px; overflow:hidden">hidden</div>`,
		`<div style="width:0;overflow:hidden">hidden</div>`,
		`<div style="position:absolute;left:-9999px">hidden</div>`,
		`<div style="position:fixed;top:-5000px">hidden</div>`,
		`<div style="position:absolute;left:-100em">hidden</div>`,
		`<div style="position:absolute;clip:rect(0,0,0,0)">hidden</div>`,
		`<div style="position:absolute;clip:rect(1px, 1px, 1px, 1px)">hidden</div>`,
		`<div style="text-indent:-9999px">hidden</div>`,
		`<div style="color:#fff;background-color:#fff">hidden</div>`,
		`<div style="color:transparent">hidden</div>`,
		`<div class="note secret">hidden</div>`,
		`<div id="trap">hidden</div>`,
		`<aside>hidden</aside>`,
		`<div class="a b">hidden</div>`,
	} {
		src := `<head><style>/* .note { } */ .secret, .other { display: none }
			@media print { .plain { display: none } } #trap{visibility:hidden} aside{display:none}
			.a.b { display:none } .menu > .plain { display:none } .plain:hover { display:none }
			.back { display: none } .back { display: block }</style></head>
			<body><p>start</p>` + hiding + `<p class="plain a">end</p>`
		if got := seen(t, src); got != "start end" {
			t.Errorf("%s: %q is seen", hiding, got)
		}
	}
}

func TestUnseenLeavesWhatIsShown(t *testing.T) {
	for _, shown := range []string{
		`<p style="display:none; display:block">shown</p>`,
		`<p style="opacity:0.9">shown</p>`,
		`<p style="font-size:0.8em">shown</p>`,
		`<div style="height:0">shown</div>`,
		`<div style="position:absolute;left:-20px">shown</div>`,
		`<div style="position:relative;left:0">shown</div>`,
		`<p style="background:url(display:none.png)">shown</p>`,
		`<p class="plain">shown</p>`,
		`<p class="back">shown</p>`,
		`<p aria-hidden="true">shown</p>`,
	} {
		src := `<head><style>@media print { .plain { display: none } } .menu .plain { display:none } .plain:hover { display:none }
			.back { display: none } .back { display: block }</style><style media="print">.plain { display: none }</style></head>
			<body>` + shown
		if got := seen(t, src); got != "shown" {
			t.Errorf("%s: %q is seen", shown, got)
		}
	}
}

func FuzzUnseen(f *testing.F) {
	f.Add("<style>.a{display:none}@media x{", "display:none;;:")
	f.Add("<style>/*", "left:-")
	f.Fuzz(func(t *testing.T, head, style string) {
		p, err := page.Parse([]byte(head+"<body><p style=\""+style+"\">x"), "text/html; charset=utf-8")
		if err != nil {
			t.Skip()
		}
		if got := len(Unseen(p)); got != len(p.Elements) {
			t.Errorf("%d verdicts on %d elements", got, len(p.Elements))
		}
	})
}
