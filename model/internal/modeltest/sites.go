package modeltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Site returns the first n pages of a small site: a header, a menu, an article with words of its own, a share box,
// links to other pages and a footer. Every call returns the same pages.
func Site(n int) []string {
	rng := rand.New(rand.NewPCG(11, 12))
	docs := make([]string, n)
	for i := range docs {
		docs[i] = fmt.Sprintf(`<!DOCTYPE html><html lang=en><head><title>%[1]s</title></head><body>
<div class=top><a href="/"><img src="/logo.png" alt="Harbour Gazette"></a><p>The paper of the northern harbours</p></div>
<ul class=menu><li><a href="/news">News today</a></li><li><a href="/ships">Ships in port</a></li><li><a href="/weather">Weather
at sea</a></li><li><a href="/jobs">Jobs aboard</a></li><li><a href="/about">About the paper</a></li></ul>
<div class=main><h1>%[1]s</h1>%[2]s</div>
<div class=share><a href="/s/mail">Send by mail</a> <a href="/s/print">Print this page</a> <a href="/s/save">Save for later</a></div>
<div class=foot><p>Published every morning but Sunday.</p><p><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a>
<a href="/terms">Terms</a></p><p>All rights reserved by the harbour office.</p></div></body></html>`,
			sentence(rng, 4), paragraphs(rng))
	}
	return docs
}

// Template returns the texts of the template of [Site], block by block.
func Template() []string {
	return []string{"The paper of the northern harbours", "News today", "Ships in port", "Weather at sea", "Jobs aboard",
		"About the paper", "Send by mail Print this page Save for later", "Published every morning but Sunday.",
		"Imprint Privacy Terms", "All rights reserved by the harbour office."}
}

func paragraphs(rng *rand.Rand) string {
	var b strings.Builder
	for range 3 + rng.IntN(4) {
		b.WriteString("<p>")
		for range 2 + rng.IntN(3) {
			b.WriteString(sentence(rng, 6+rng.IntN(8)) + ". ")
		}
		b.WriteString("</p>\n")
	}
	return b.String()
}

// sentence makes up words from syllables, so that all articles differ.
func sentence(rng *rand.Rand, words int) string {
	syllables := []string{"ka", "lor", "min", "tes", "ru", "val", "den", "os", "pir", "ge", "nau", "shi", "bel", "ot"}
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 2 + rng.IntN(3) {
			b.WriteString(syllables[rng.IntN(len(syllables))])
		}
	}
	s := b.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// Hostile returns generators of pages that fill a model, by their main contents. Each fills another part of it. n
// numbers the page.
func Hostile() map[string]func(rng *rand.Rand, n int) string {
	word := func(rng *rand.Rand) string { return fmt.Sprintf("w%x", rng.Uint64()) }
	repeat := func(times int, part func(rng *rand.Rand) string) func(*rand.Rand, int) string {
		return func(rng *rand.Rand, _ int) string {
			var b strings.Builder
			for range times {
				b.WriteString(part(rng))
			}
			return b.String()
		}
	}
	return map[string]func(rng *rand.Rand, n int) string{
		"words":  repeat(5000, func(rng *rand.Rand) string { return word(rng) + " " }),
		"leaves": repeat(2000, func(rng *rand.Rand) string { return "<p>" + word(rng) + " " + word(rng) + "</p>" }),
		"links": repeat(1500, func(rng *rand.Rand) string {
			return `<li><a href="/` + word(rng) + `">` + word(rng) + `</a></li>`
		}),
		"link lists": repeat(300, func(rng *rand.Rand) string {
			return `<ul><li><a href="/` + word(rng) + `">a</a><li><a href=x>` + word(rng) + `</a><li><a href=y>b</a></ul>`
		}),
		"sequences": repeat(1000, func(rng *rand.Rand) string {
			return []string{"<p>", "<hr>", "<h2>x</h2>", "<div><p></div>"}[rng.IntN(4)]
		}),
		"classes": repeat(500, func(rng *rand.Rand) string { return "<div class=" + word(rng) + ">x</div>" }),
		"depth":   repeat(400, func(rng *rand.Rand) string { return []string{"<div>", "<section>", "<i>"}[rng.IntN(3)] }),
		"tables": repeat(300, func(rng *rand.Rand) string {
			return "<table><tr><td>" + word(rng) + "<table><tr><td>" + word(rng) + "</table></table>"
		}),
		"one huge page": func(*rand.Rand, int) string {
			return strings.Repeat("<p>x<div>", 400) + strings.Repeat("<i>y</i>", 6000)
		},
		"small pages": func(_ *rand.Rand, n int) string { return fmt.Sprintf("<p>page%d</p>", n) },
	}
}
