package address_test

import (
	"testing"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/address"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
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
		p := pagetest.MustParse(t, []byte(src), "")
		for e := range p.Elements {
			if p.Elements[e].Tag == atom.Img {
				if got := address.OfImage(p, page.ElementID(e)); got != want {
					t.Errorf("%s shows %q, want %q", src, got, want)
				}
			}
		}
	}
}
