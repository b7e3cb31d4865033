package policy_test

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

// A control in a noisy part stays if something that it acts on stays, and goes with it otherwise, whatever the kind of
// control: ARIA, the attributes of libraries, labels, buttons without any attribute.
func TestControlsLiveAsLongAsTheirTargets(t *testing.T) {
	seen := func(class string) string {
		return `JSON.stringify([...document.querySelectorAll(".` + class + `")].filter(e => e.checkVisibility()).map(e => e.textContent))`
	}
	b := browsertest.Start(t)
	pages := pagetest.ReadPages(t, "testdata/controls/*.html")
	srv := pagetest.ServePages(t, pages, "", "")
	for name := range pages {
		want, err := b.Ask(t.Context(), srv.URL+"/direct/"+name, seen("act"))
		if err != nil || want == "[]" {
			t.Fatalf("%s shows %s (%v)", name, want, err)
		}
		for _, mode := range []page.Mode{page.ModeAuto, page.ModeHide, page.ModeRemove} {
			t.Run(name+"/"+mode.String(), func(t *testing.T) {
				url := srv.URL + "/" + mode.String() + "/" + name
				if got, err := b.Ask(t.Context(), url, seen("act")); got != want {
					t.Errorf("of %s are left %s (%v)", want, got, err)
				}
				if got, err := b.Ask(t.Context(), url, seen("dead")); got != "[]" {
					t.Errorf("controls of nothing are left: %s (%v)", got, err)
				}
				if mode != page.ModeRemove {
					pagetest.CheckView(t, pagetest.Look(t, b, srv.URL+"/direct/"+name), pagetest.Look(t, b, url), .85)
				}
			})
		}
	}
}

// What a button opens shows, in front of the page, and the page can be used before and after.
func TestDialogOpensOverACleanedPage(t *testing.T) {
	const act = `(() => {
		const at = e => { const r = e.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) };
		const link = document.getElementById("link"), dialog = document.querySelector("dialog"), tip = document.getElementById("tip");
		const says = [at(link) === link];
		document.getElementById("open").click();
		says.push(dialog.contains(at(dialog)));
		dialog.querySelector("button").click();
		says.push(at(link) === link);
		document.querySelector("[popovertarget]").click();
		says.push(tip.contains(at(tip)));
		return says.join(" ");
	})()`
	b := browsertest.Start(t)
	srv := pagetest.ServePages(t, pagetest.ReadPages(t, "testdata/controls/dialog.html"), "", "")
	for _, mode := range []string{"direct", "auto", "hide"} {
		if got, err := b.Ask(t.Context(), srv.URL+"/"+mode+"/dialog", act); got != strings.TrimSpace(strings.Repeat("true ", 4)) {
			t.Errorf("%s: link, dialog, link, popover work: %s (%v)", mode, got, err)
		}
	}
}
