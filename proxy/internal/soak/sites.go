package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
)

// words are the vocabulary of sentences.
const words = `the harbour morning boats came before sun and gulls were lined along wall like guests who had paid for
it by seven ice was gone from market buyers began to argue over price of cod council says that a mirror will be put up
in spring as every winter since war eleven sopranos one bass make an odd choir conductor told us there will be soup
afterwards nobody has read music if he can follow his neighbour orchard on hill never bore so much trees propped with
planks bottle press saturday whoever brings may fill bell cast yard behind church hundred years ago tower leaned too
far crane put back children school rang first which was fair because they raised most money lorries met narrow bend`

// page is one page of a host: what the origin sends, and what a client may expect.
type page struct {
	title string
	body  []byte
	// content are texts of the article, each of them unique. template is a text of the site's template.
	content  []string
	template string
}

// newPage returns the page id of a host, with the same bytes for the same numbers. All pages of a host share its
// template, which depends only on the host. Adverts and related links vary from page to page.
func newPage(host, id int) page {
	site, own := rand.New(rand.NewPCG(uint64(host), 1)), rand.New(rand.NewPCG(uint64(host), uint64(id)+2))
	vocabulary := strings.Fields(words)
	p := page{title: fmt.Sprintf("Story %d of paper %d", id, host), template: fmt.Sprintf("Paper %d is printed on recycled paper", host)}
	var b bytes.Buffer
	box := fmt.Sprintf("c%x", site.Uint32())
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>%s</title></head><body class=%q>\n", p.title, box)
	fmt.Fprintf(&b, "<header class=%q><a href=/>Paper %d</a></header><nav><ul>", box+"-top", host)
	for i := range 4 + site.IntN(14) {
		fmt.Fprintf(&b, "<li><a href=/s/%d>%s</a></li>", i, sentence(site, vocabulary, 2))
	}
	fmt.Fprintf(&b, "</ul></nav>\n<div class=%q><h1>%s</h1>\n", box+"-main", p.title)
	for i := range 3 + own.IntN(12) {
		text := fmt.Sprintf("%s (%d.%d.%d)", sentence(own, vocabulary, 8+own.IntN(40)), host, id, i)
		p.content = append(p.content, text)
		fmt.Fprintf(&b, "<p>%s.</p>\n", text)
	}
	fmt.Fprintf(&b, "</div><aside class=%q><h3>Most read</h3><ul>", box+"-side")
	for range 5 + site.IntN(20) {
		fmt.Fprintf(&b, "<li><a href=/p/%d><span>%s</span></a></li>", own.IntN(1000), sentence(own, vocabulary, 5))
	}
	fmt.Fprintf(&b, "</ul><div class=ad><a href=/ad/%d>%s</a></div></aside>\n", own.IntN(9), sentence(own, vocabulary, 6))
	fmt.Fprintf(&b, "<footer><p>%s. All rights reserved.</p><a href=/terms>Terms</a> <a href=/privacy>Privacy</a></footer></body></html>\n", p.template)
	p.body = b.Bytes()
	return p
}

func sentence(r *rand.Rand, vocabulary []string, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

// downloads is the number of files. Each host has all of them.
const downloads = 48

// file is a download: bytes that nobody may change.
type file struct {
	body []byte
	sum  [sha256.Size]byte
}

// newFiles makes the downloads, from 1 KiB to slightly over 3 MiB.
func newFiles() []file {
	source := rand.NewChaCha8([32]byte{7})
	files := make([]file, downloads)
	for i := range files {
		body := make([]byte, (1<<10)<<(i/4)+i*17)
		_, _ = source.Read(body) // never fails
		files[i] = file{body, sha256.Sum256(body)}
	}
	return files
}

// bomb is a page that is small on the wire or in source, and large or slow to read.
type bomb struct {
	name, coding string
	body         []byte
}

func newBombs() ([]bomb, error) {
	var zeros bytes.Buffer
	w, err := gzip.NewWriterLevel(&zeros, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	block := make([]byte, 1<<20)
	for range 128 {
		if _, err := w.Write(block); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	var attributes strings.Builder
	for i := range 60000 {
		fmt.Fprintf(&attributes, " a%d=%d", i, i)
	}
	return []bomb{
		{"gzip, 128 MiB of zeros", "gzip", zeros.Bytes()},
		{"100,000 open elements", "", []byte("<html><body>" + strings.Repeat("<div>", 100000))},
		{"100,000 tables", "", []byte("<html><body>" + strings.Repeat("<table><tr><td>a", 400) + strings.Repeat("<b>x", 100000))},
		{"60,000 attributes", "", []byte("<html><body><p" + attributes.String() + ">text</p></body></html>")},
		{"200,000 small elements", "", []byte("<html><body>" + strings.Repeat("<i>x</i>", 200000) + "</body></html>")},
	}, nil
}
