package page

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// tokenizerTokens returns the tokens of text as the parser's tokenizer finds them.
func tokenizerTokens(text []byte) (tokens []token) {
	z := html.NewTokenizer(bytes.NewReader(text))
	pos := int32(0)
	for {
		kind := z.Next()
		t := token{start: pos, end: pos + int32(len(z.Raw())), kind: kind}
		pos = t.end
		switch kind {
		case html.ErrorToken:
			return append(tokens, token{start: t.start, end: int32(len(text)), kind: kind})
		case html.SelfClosingTagToken:
			t.kind = html.StartTagToken
		case html.DoctypeToken:
			t.kind = html.CommentToken
		}
		if t.kind == html.StartTagToken || t.kind == html.EndTagToken {
			name, _ := z.TagName()
			t.name = string(name)
		}
		tokens = append(tokens, t)
	}
}

// scannerTokens returns the tokens of text as the scanner finds them.
func scannerTokens(text []byte) (tokens []token) {
	s := newScanner(text)
	for {
		t := s.next()
		t.at, t.raw = 0, 0
		tokens = append(tokens, t)
		if t.kind == html.ErrorToken {
			return tokens
		}
	}
}

// sameTokens fails unless the scanner finds the tokens that the parser's tokenizer finds.
func sameTokens(t *testing.T, text []byte) {
	t.Helper()
	got, want := scannerTokens(text), tokenizerTokens(text)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("token %d of %.200q is %+v, want %+v", i, text, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%.200q has %d tokens, want %d", text, len(got), len(want))
	}
}

// scannerSeeds are tags and comments that are hard to find the end of.
func scannerSeeds() []string {
	return []string{
		"", "<", "</", "<!", "<?", "a<", "a</", "a<!", "<a", "<a b", "</a", "<a b='>", "x</>y", "</ a>b", "<?xml version='1.0'?>a",
		"<a =b>c", "<a ==b>c", "<a b=/>c", "<a b=>c", "<a b = 'c>d' e>f", `<a b="c>d"e='>'/>f`, "<a/b/=c>d", "<a b=c/d=e>f", "<a'b>c",
		"<a b=c'd>e'>f", "<A\x00B C\n=\tD\f>e", "<br/>x<img src=a/>", "<!-->a", "<!--->a", "<!---->a", "<!----!>a", "<!--a--!-->b",
		"<!--a-->b", "<!--a->b-->c", "<!-- a -- b --!> c", "<!--a", "<!doctype html>a", "<!DOCTYPE", "<!>a", "<!->a", "<![CDATA[a>b]]>c",
		"<script>a</script>b", "<script>a<b></scripty></script >c", "<script><!--<script></script>--></script>a", "<title></title>a",
		"<TEXTAREA>a<b></textarea\n>c", "<style>a", "<plaintext>a</plaintext>b", "<script/>a</script>b", "<xmp></xmp", "<title>a</titl",
	}
}

func TestScannerFindsTheTokenizersTokens(t *testing.T) {
	for _, src := range scannerSeeds() {
		sameTokens(t, []byte(src))
	}
	for _, src := range malformed() {
		sameTokens(t, []byte(src))
	}
	// Every short text over the bytes that matter.
	const bytesThatMatter = "<>/!?-='\" a"
	var all func(prefix string, n int)
	all = func(prefix string, n int) {
		sameTokens(t, []byte(prefix))
		for i := range len(bytesThatMatter) {
			if n > 0 {
				all(prefix+bytesThatMatter[i:i+1], n-1)
			}
		}
	}
	all("<a", 4)
	all("<!", 4)
	all("</", 3)
}

func TestScannerOnTheCorpus(t *testing.T) {
	for _, file := range corpusPages(t, 5) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sameTokens(t, src)
	}
}

func FuzzScanner(f *testing.F) {
	for _, src := range scannerSeeds() {
		f.Add([]byte(src))
	}
	f.Add([]byte(strings.Repeat("<a b=c>d</a>", 400)))
	f.Fuzz(func(t *testing.T, src []byte) { sameTokens(t, src) })
}
