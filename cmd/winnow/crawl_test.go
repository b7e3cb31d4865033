package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// crawled writes a web archive of so many pages of coast.test: crawl FILE N [damaged].
func crawled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: crawl file n [damaged]")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b strings.Builder
	record := func(kind, uri, block string) {
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, uri, len(block), block)
	}
	record("warcinfo", "", "software: a test")
	for i := range n {
		record("response", fmt.Sprintf("http://coast.test/%d", i), fmt.Sprintf(`HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8

<!DOCTYPE html><html lang="en"><head><title>Day %[1]d</title></head><body>
<nav class="menu"><ul><li><a href="/a">Harbours</a></li><li><a href="/b">Tides</a></li></ul></nav>
<main><h1>Day %[1]d</h1><p>On day %[1]d the wind came from the north-east, and %[1]d boats made little way against the tide that set
to the west; the pilot, whom they had asked for an hour, came on board at dusk.</p></main>
<footer class="footer"><p>Printed by the Society of the Coast. All rights reserved.</p></footer></body></html>`, i))
	}
	text := b.String()
	if len(args) > 2 {
		text = strings.Replace(text, "the pilot, whom they had asked for an hour, ", "", 1) // the length of the first page is a lie now
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
