package pipeline

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/winnow-proxy/winnow/model/page"
)

func TestMakeTag(t *testing.T) {
	v := variant{mode: page.ModeRemove, gen: 4}
	tests := []struct{ etag, modified, want string }{
		{`"abc"`, "", `W/"abc-wnwsr4"`},
		{`W/"abc"`, "", `W/"abc-wnwwr4"`},
		{`""`, "", `W/"-wnwsr4"`},
		{`"a,b\c"`, "", `W/"a,b\c-wnwsr4"`},
		{`"x-wnwsr4"`, "", `W/"x-wnwsr4-wnwsr4"`}, // one winnow behind another
		{"", "Thu, 01 Jan 1970 00:00:16 GMT", `W/"10-wnwdr4"`},
		{"unquoted", "Thu, 01 Jan 1970 00:00:16 GMT", `W/"10-wnwdr4"`},
		{"unquoted", "yesterday", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Etag", tt.etag)
		h.Set("Last-Modified", tt.modified)
		got := ""
		if tag, ok := makeTag(h, v, 0); ok {
			got = tag.String()
		}
		if got != tt.want {
			t.Errorf("ETag %s, Last-Modified %s: got %s, want %s", tt.etag, tt.modified, got, tt.want)
		}
	}
}

// Every tag that we make is known again, and gives the origin's validator back.
func TestOwnTagsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		origin := `"` + rapid.StringMatching(`[!#-~]{0,20}`).Draw(rt, "opaque") + `"`
		if rapid.Bool().Draw(rt, "weak") {
			origin = "W/" + origin
		}
		v := variant{page.Mode(rapid.IntRange(0, int(page.ModeJSON)).Draw(rt, "mode")),
			generationOf(rapid.IntRange(0, 1<<40).Draw(rt, "pages")), rapid.Uint32().Draw(rt, "judge"), basis(rapid.Uint64().Draw(rt, "basis"))}
		made, ok := makeTag(http.Header{"Etag": {origin}}, v, digest(rapid.Uint64().Draw(rt, "content")))
		if !ok {
			rt.Fatalf("no tag for %s", origin)
		}
		got, own := parseOwnTag(made.String())
		if !own || got != made || got.origin() != origin || got.variant != v {
			rt.Fatalf("%s became %s and came back as %+v (%v)", origin, made, got, own)
		}
	})
}

func TestForeignTagsAreLeftAlone(t *testing.T) {
	for _, s := range []string{``, `*`, `"abc"`, `W/"abc"`, `"abc-wnwsr4"`, `W/"abc-wnw"`, `W/"abc-wnwsr"`, `W/"abc-wnwqr4"`,
		`W/"abc-wnwsz4"`, `W/"abc-wnwsrff1"`, `W/"abc-wnwsr04"`, `W/"abc-wnwsr4`, `W/"zz-wnwdr4"`,
		`W/"abc-wnwsr4."`, `W/"abc-wnwsr4.0"`, `W/"abc-wnwsr4.0a"`, `W/"abc-wnwsr4.100000000"`, `W/"abc-wnwsr.1"`, `W/"abc-wnwsr4.1.1"`, `W/"abc-wnwsr4_"`, `W/"abc-wnwsr4_0"`, `W/"abc-wnwsr4_1.1"`} {
		if got, own := parseOwnTag(s); own {
			t.Errorf("%s taken for ours: %+v", s, got)
		}
	}
}

func TestMapConditionals(t *testing.T) {
	const fresh, stale, otherMode, otherJudge = `W/"abc-wnwsr4"`, `W/"abc-wnwsr3"`, `W/"abc-wnwst4"`, `W/"abc-wnwsr4.1f"`
	const dated, date = `W/"10-wnwdr4"`, "Thu, 01 Jan 1970 00:00:16 GMT"
	type fields = map[string]string
	tests := []struct {
		name        string
		dropForeign bool
		in, want    fields
	}{
		{"ours", true, fields{"If-None-Match": fresh}, fields{"If-None-Match": `"abc"`}},
		{"ours was weak", true, fields{"If-None-Match": `W/"abc-wnwwr4"`}, fields{"If-None-Match": `W/"abc"`}},
		{"the model has changed", true, fields{"If-None-Match": stale}, fields{}},
		{"another mode", true, fields{"If-None-Match": otherMode}, fields{}},
		{"another judge", true, fields{"If-None-Match": otherJudge}, fields{}},
		{"If-Match, whoever judged", false, fields{"If-Match": otherJudge}, fields{"If-Match": `"abc"`}},
		{"a stale tag's date does not come to life", false,
			fields{"If-None-Match": stale, "If-Modified-Since": date}, fields{}},
		{"the date is ours", true, fields{"If-None-Match": dated}, fields{"If-Modified-Since": date}},
		{"several", false, fields{"If-None-Match": fresh + `, "x,y", ` + stale}, fields{"If-None-Match": `"abc", "x,y"`}},
		{"a foreign tag of a picture", false, fields{"If-None-Match": `"abc"`, "If-Modified-Since": date},
			fields{"If-None-Match": `"abc"`, "If-Modified-Since": date}},
		{"a foreign tag of a page", true, fields{"If-None-Match": `"abc"`, "If-Modified-Since": date}, fields{}},
		{"a bare date of a picture", false, fields{"If-Modified-Since": date}, fields{"If-Modified-Since": date}},
		{"a bare date of a page", true, fields{"If-Modified-Since": date}, fields{}},
		{"star", true, fields{"If-None-Match": "*"}, fields{"If-None-Match": "*"}},
		{"If-Match, whatever the model", false, fields{"If-Match": stale + `, "x"`}, fields{"If-Match": `"abc", "x"`}},
		{"If-Match of a date", false, fields{"If-Match": dated}, fields{"If-Unmodified-Since": date}},
		{"foreign If-Match", false, fields{"If-Match": `"abc"`}, fields{"If-Match": `"abc"`}},
		{"If-Range of ours", false, fields{"If-Range": fresh, "Range": "bytes=5-"}, fields{}},
		{"foreign If-Range", false, fields{"If-Range": `"abc"`, "Range": "bytes=5-"},
			fields{"If-Range": `"abc"`, "Range": "bytes=5-"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			for k, v := range tt.in {
				h.Set(k, v)
			}
			mapConditionals(h, func(v variant) bool { return v == variant{mode: page.ModeRemove, gen: 4} }, tt.dropForeign)
			got := fields{}
			for k := range h {
				got[k] = h.Get(k)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRestoreTagOf304(t *testing.T) {
	always := func(variant) bool { return true }
	tests := []struct {
		name, sent, origin, want string
	}{
		{"the same tag", `W/"abc-wnwsr4"`, `"abc"`, `W/"abc-wnwsr4"`},
		{"weakened on the way", `W/"abc-wnwsr4"`, `W/"abc"`, `W/"abc-wnwsr4"`},
		{"left out", `W/"abc-wnwsr4"`, ``, `W/"abc-wnwsr4"`},
		{"a date", `W/"10-wnwdr4"`, ``, `W/"10-wnwdr4"`},
		{"the second", `W/"a-wnwsr4", W/"b-wnwsr4"`, `"b"`, `W/"b-wnwsr4"`},
		{"a foreign one", `W/"a-wnwsr4", "b"`, `"b"`, ``},
		{"nothing of ours", `"b"`, `"b"`, ``},
	}
	for _, tt := range tests {
		c := mapConditionals(http.Header{"If-None-Match": {tt.sent}}, always, false)
		got := ""
		if tag, ok := c.restore(tt.origin); ok {
			got = tag.String()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestGenerationIsCoarse(t *testing.T) {
	for pages, want := range map[int]generation{-1: 0, 0: 0, 1: 1, 2: 2, 3: 2, 4: 3, 1000: 10, 1023: 10, 1024: 11} {
		if got := generationOf(pages); got != want {
			t.Errorf("%d pages: generation %d, want %d", pages, got, want)
		}
	}
	if len(modeLetters) != len(page.ModeNames()) || strings.Count(modeLetters, "r") != 1 {
		t.Errorf("mode letters %q are not one for each mode", modeLetters)
	}
}
