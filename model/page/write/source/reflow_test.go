package source_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// A page from which something that covers it is removed can scroll, whatever the cover is called and however the page
// was locked.
func TestPagesScrollWhenTheirCoverGoes(t *testing.T) {
	covers := map[string]string{
		"styled":  `<div class="noise"><div style="position: fixed; inset: 0; background: #000c"><p>NOISE Read us in our app</p></div></div>`,
		"unnamed": `<div class="noise" id="w1"><p>NOISE Read us in our app</p></div><style>#w1{position:fixed;inset:0;background:#000c}</style>`,
	}
	locks := map[string]string{
		"style":       `<script>document.body.style.overflow = "hidden"</script>`,
		"root":        `<script>document.documentElement.style.overflow = "hidden"</script>`,
		"late":        `<script>setTimeout(() => document.body.style.overflow = "hidden", 100)</script>`,
		"class":       `<style>.x9{overflow:hidden;height:100%}html{height:100%}</style><script>document.body.classList.add("x9"); document.documentElement.classList.add("x9")</script>`,
		"fixed":       `<script>Object.assign(document.body.style, {position: "fixed", top: "-120px", width: "100%", overflow: "hidden"})</script>`,
		"fixed-class": `<style>.x9{position:fixed;top:0;left:0;right:0}</style><script>document.body.classList.add("x9")</script>`,
	}
	text := strings.Repeat(`<p>CONTENT the wall stands in the garden and the garden lies behind the house, where the path to the river begins.</p>`, 30)
	pages := map[string]string{}
	for cover, element := range covers {
		for lock, how := range locks {
			if cover == "unnamed" && strings.HasPrefix(lock, "fixed") {
				continue // nothing says what went
			}
			pages[cover+"-"+lock] = `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title></head><body><main><h1>CONTENT</h1>` +
				text + `</main>` + element + how + `</body></html>`
		}
	}
	b := browsertest.Start(t)
	srv := pagetest.ServePages(t, pages, "", "")
	for name := range pages {
		if pagetest.Look(t, b, srv.URL+"/direct/"+name).Scrolls {
			t.Errorf("%s is not locked as it was", name)
		}
		if v := pagetest.Look(t, b, srv.URL+"/auto/"+name); !v.Scrolls || strings.Contains(v.Text, "NOISE") {
			t.Errorf("%s: it scrolls: %t; %.60s", name, v.Scrolls, v.Text)
		}
	}
}

// Text keeps away from the edge of its ground, a ground that most of the text has fills the screen, and no text is
// printed over other text.
func TestTextKeepsItsDistance(t *testing.T) {
	const measure = `(() => {
		const wrong = [], boxes = [];
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n = walker.nextNode(); n; n = walker.nextNode()) {
			if (!n.data.trim() || !n.parentElement.checkVisibility()) continue;
			const range = document.createRange();
			range.selectNodeContents(n);
			const text = range.getBoundingClientRect();
			if (text.left < 6 || text.right > innerWidth) wrong.push("at the edge of the screen: " + n.data.slice(0, 30));
			let up = n.parentElement;
			while (up.parentElement && getComputedStyle(up).backgroundColor === "rgba(0, 0, 0, 0)") up = up.parentElement;
			const ground = up.getBoundingClientRect();
			if (up !== document.documentElement && text.left - ground.left < 1 && up.localName !== "td") wrong.push("at the edge of its ground: " + n.data.slice(0, 30));
			if (n.data.length > 200 && up.localName !== "td" && (ground.left > 0 || ground.right < innerWidth)) wrong.push("stripes beside " + up.outerHTML.slice(0, 60));
			for (const b of boxes) {
				if (b.left < text.right - 1 && text.left < b.right - 1 && b.top < text.bottom - 2 && text.top < b.bottom - 2) wrong.push("over other text: " + n.data.slice(0, 30));
			}
			boxes.push(text);
		}
		return wrong.join("; ");
	})()`
	b := browsertest.Start(t)
	pages := map[string]string{}
	for _, name := range []string{"ground", "readthedocs", "squeezed", "board", "tbody"} {
		for file, src := range pagetest.ReadPages(t, "testdata/layouts/"+name+".html") {
			pages[file] = src
		}
	}
	srv := pagetest.ServePages(t, pages, "", "")
	for name := range pages {
		if wrong, err := b.Ask(t.Context(), srv.URL+"/auto/"+name, measure); wrong != "" || err != nil {
			t.Errorf("%s: %s (%v)", name, wrong, err)
		}
	}
}
