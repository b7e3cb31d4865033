package marks

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestMarksAreMaximalAndDisjoint(t *testing.T) {
	v := viewtest.ViewOf(t, `<body><div><ul><li>a</li><li>b</li></ul></div><main>c<br><br>d<p>e</p></main></body>`)
	verdicts := []page.Verdict{{Noise: true, Score: 1}, {Noise: true, Score: 1}, {}, {Noise: true, Score: .5}, {}}
	marks := FindMarks(parts.NewOutline(v), verdicts, page.None)
	if len(marks) != 2 {
		t.Fatalf("%d marks, want the div and the run d: %+v", len(marks), marks)
	}
	if e := marks[0].Element; v.Doc.Elements[e].Name != "div" || marks[0].Score != 1 {
		t.Errorf("first mark %+v is not the div", marks[0])
	}
	if m := marks[1]; m.Element != page.None || m.BlockStart != 3 || m.BlockEnd != 4 || m.Score != .5 {
		t.Errorf("second mark %+v is not the run of block 3", m)
	}
}

// Elements without text are removed or stay by what they are. Each piece is tried on the same page, in the middle of
// content and among noise.
func TestTextlessParts(t *testing.T) {
	for _, c := range []struct {
		name, piece           string
		goesAmid, goesInNoise bool
	}{
		{"advert frame by host", `<iframe src="https://ad.doubleclick.net/x"></iframe>`, true, true},
		{"advert frame by size", `<iframe src=/f width=728 height=90></iframe>`, true, true},
		{"empty advert box", `<div id=div-gpt-ad-1><script>show()</script></div>`, true, true},
		{"advert box in a wrapper", `<div class=w><div class=adsbygoogle></div></div>`, true, true},
		{"linked banner in boxes", `<div><p><a href="https://shop.example/?c=7"><img src=b.gif width=468 height=60></a></p></div>`, true, true},
		{"linked banner", `<a href="https://shop.example/?c=7"><img src=b.gif width=468 height=60></a>`, true, true},
		{"film", `<iframe src="https://video.example/embed/1" width=560 height=315></iframe>`, false, false},
		{"photograph", `<img src=harbour.jpg>`, false, false},
		{"figure", `<figure><img src=harbour.jpg width=600 height=400></figure>`, false, false},
		{"linked photograph", `<a href=harbour-large.jpg><img src=harbour.jpg></a>`, false, false},
		{"film of its own", `<video src=boats.mp4></video>`, false, false},
		{"line", `<hr>`, false, true},
		{"spacer", `<img src=spacer.gif width=1 height=20>`, false, true},
		{"empty box", `<div class=clear></div>`, false, true},
		{"form without text", `<form><input name=q></form>`, false, false},
		{"share icons", `<div class=x><a href="https://www.facebook.com/sharer.php?u=1"><img src=f.png></a><a href="https://twitter.com/share?u=1"><img src=t.png></a></div>`, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			amid := `<body><main><p c>First of the story.</p>` + c.piece + `<p c>Second of it.</p></main>`
			among := `<body><main><p c>The story.</p></main><div><p>Noise one</p>` + c.piece + `<p>Noise two</p><p c>Note.</p></div>`
			for src, goes := range map[string]bool{amid: c.goesAmid, among: c.goesInNoise} {
				p, marks := marked(t, src)
				if got := !strings.Contains(viewtest.Without(t, p, marks), c.piece); got != goes {
					t.Errorf("in %s it goes: %v, want %v", src, got, goes)
				}
			}
		})
	}
}

// A caption that looks like a label must not remove its picture. A teaser removes its own.
func TestPicturesStayWithContent(t *testing.T) {
	for _, c := range []struct {
		name, piece string
		stays       bool
	}{
		{"figure", `<figure><img src=boat.jpg><figcaption>Enlarge</figcaption></figure>`, true},
		{"box", `<div class=pic><img src=boat.jpg><span>Photo</span></div>`, true},
		{"film", `<div class=pic><video src=boat.mp4></video><p>Play</p></div>`, true},
		{"teaser", `<div class=x><a href=/other><img src=other.jpg></a><p>Another story</p></div>`, false},
		{"author", `<div class=x><img src=avatar.jpg width=48 height=48><p>Anna</p></div>`, false},
		{"related", `<div class=related><img src=other.jpg><p>Another story</p></div>`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, marks := marked(t, `<body><div class=page><div class=story><p c>First of the story.</p>`+c.piece+`<p c>Second of it.</p></div><div>Noise</div></div>`)
			if got := strings.Contains(viewtest.Without(t, p, marks), "<img") || strings.Contains(viewtest.Without(t, p, marks), "<video"); got != c.stays {
				t.Errorf("the picture stays: %v, want %v", got, c.stays)
			}
		})
	}
}
