package page

import (
	"testing"

	"golang.org/x/net/html/atom"
)

func TestImageURL(t *testing.T) {
	for src, want := range map[string]string{
		`<img src=a.png>`:                                                "a.png",
		`<img src=pixel.gif data-src=b.png>`:                             "b.png",
		`<img srcset="s.png 320w, l.png 1280w">`:                         "l.png",
		`<img srcset="s.png, l.png 2x">`:                                 "l.png",
		`<img src="data:image/gif;base64,x" data-srcset="m.png 1x">`:     "m.png",
		`<picture><source srcset="p.webp 1x, q.webp 2x"><img></picture>`: "q.webp",
		`<img src="javascript:x">`:                                       "",
		`<img>`:                                                          "",
	} {
		p := mustParse(t, []byte(src), "")
		for e := range p.Elements {
			if p.Elements[e].Tag == atom.Img {
				if got := p.imageURL(ElementID(e)); got != want {
					t.Errorf("%s shows %q, want %q", src, got, want)
				}
			}
		}
	}
}
