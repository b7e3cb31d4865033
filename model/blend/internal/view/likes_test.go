package view

import "testing"

func TestPatternsOfAddresses(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"/product/red-shoe/", "/product/blue-hat/", true},
		{"/product/red-shoe/", "/category/hats/", false},
		{"/product/red-shoe/", "/product/red-shoe", false},
		{"/2011/05/some-news.html", "/2024/11/other.html", true},
		{"/2011/05/some-news.html", "/about.html", false},
		{"/viewtopic.php?t=1&sid=a", "/viewtopic.php?t=22", true},
		{"/viewtopic.php?t=1", "/viewforum.php?f=1", false},
		{"/index.php?route=product/product&id=1", "/index.php?route=product/category&id=1", false},
		{"/index.php?title=Foo", "/index.php?title=Bar", true},
		{"/a-long-title-of-a-page/reply/", "/short/reply/", false},
		{"/a-long-title-of-a-page/reply/", "/yet-another-long-title/reply/", true},
		{"/", "/", true},
		{"/", "/a", false},
	} {
		a, b := pattern(tt.a), pattern(tt.b)
		if (a == b) != tt.same {
			t.Errorf("%s has %s, %s has %s; want the same: %v", tt.a, a, tt.b, b, tt.same)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("/a/b.html?c=d")
	f.Add("?")
	f.Fuzz(func(t *testing.T, address string) {
		if got := pattern(address); len(got) > 2*len(address)+8 {
			t.Errorf("%q has a pattern of %d bytes", address, len(got))
		}
	})
}
