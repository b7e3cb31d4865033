package source_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/active"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Attributes of an origin with names like ours must not look like ours.
func TestLabelsOfTheOriginAreRenamed(t *testing.T) {
	for name, src := range map[string]string{
		"on content":       `<p data-winnow="noise" data-winnow-kind=ad>a</p><p class=noise>n</p>`,
		"on noise":         `<p>a</p><div class=noise data-winnow=content><b data-winnow-score=0>n</b></div>`,
		"in capitals":      `<p DATA-Winnow='noise'>a</p><p class=noise>n</p>`,
		"twice":            `<p data-winnow=x data-winnow=noise data-winnow-page>a</p><p class=noise>n</p>`,
		"hidden by us":     `<p data-winnow-hidden="">a</p><p data-winnow-column=main>b</p><p class=noise>n</p>`,
		"no space":         `<p id="x"data-winnow="noise"class=y>a</p><p class=noise>n</p>`,
		"slashes":          `<p/data-winnow/id=x>a<svg><g id/data-winnow=noise><path/></g></svg></p><p class=noise>n</p>`,
		"followed by =":    `<a href data-winnow=x ='javascript:evil()'>a</a><p class=noise>n</p>`,
		"on cloned bold":   `<p><b data-winnow=noise>a<p>b</b><p class=noise>n</p>`,
		"in gbk":           "<meta charset=gbk><p title='\x81\x40' data-winnow=noise>\xc4\xe3</p><p class=noise>n</p>",
		"in utf-16":        "\xff\xfe" + wide(`<p data-winnow=noise>a</p><p class=noise>n</p>`),
		"in a late body":   `<body><p>a</p><body data-winnow=noise><p class=noise>n</p>`,
		"beside our hides": `<body id=__nuxt><p data-winnow-hidden="">a</p><div class=noise><img data-winnow-row>n</div>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte(src), "text/html")
			clean := pagetest.MustParse(t, renamed(p.UTF8()), "text/html; charset=utf-8")
			for _, mode := range []page.Mode{page.ModeTag, page.ModeAuto, page.ModeHide} {
				out, err := write.Page(p, pagetest.MarkNoise(p), mode)
				if errors.Is(err, active.ErrUnsafe) && name == "in a late body" {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", mode, err)
				}
				want, err := write.Page(clean, pagetest.MarkNoise(clean), mode)
				if err != nil {
					t.Fatal(err)
				}
				got, err := pagetest.Decoded(p, out.Body)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want.Body) {
					t.Errorf("%s\n got %s\nwant %s", mode, got, want.Body)
				}
			}
		})
	}
}

// renamed returns src with the attributes renamed that have names like winnow's.
func renamed(src []byte) []byte {
	return regexp.MustCompile(`(?i)(data-)(winnow)`).ReplaceAll(src, []byte("${1}origin-$2"))
}

// wide returns text in UTF-16.
func wide(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(string([]byte{byte(r), 0}))
	}
	return b.String()
}
