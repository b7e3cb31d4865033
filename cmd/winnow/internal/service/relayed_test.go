package service

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// An address for other proxies makes what comes by it the traffic of many people. It leaves alone what only this
// machine can ask for: pages that set a cookie teach by the proxy, and not by ICAP.
func TestICAPAloneIsShared(t *testing.T) {
	t.Parallel()
	html := "<title>Tea</title><h1>Tea</h1><p>" + strings.Repeat("Water is hot before it meets the leaves. ", 20)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Set-Cookie", "visit=1")
		fmt.Fprint(w, html)
	}))
	defer origin.Close()
	o := options(t)
	at := Listeners{Proxy: local(t), ICAP: local(t)}
	s := newTestService(t, o, at)
	runService(t, s)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: at.Proxy.Addr().String()})}}
	resp, err := client.Get(origin.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for cookie, host := range map[string]string{"Set-Cookie: visit=1\r\n": "private.test", "": "public.test"} {
		respmod(t, at.ICAP.Addr().String(), host, cookie, html)
	}
	if err := o.Models.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	hosts, err := o.Models.Hosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]int{}
	for _, h := range hosts {
		pages[h.Host] = h.Pages
	}
	if pages[origin.Listener.Addr().String()] != 1 || pages["public.test"] != 1 || pages["private.test"] != 0 {
		t.Errorf("pages learned: %v", pages)
	}
}

// respmod has the ICAP address adapt an answer, and reads the status.
func respmod(t *testing.T, addr, host, field, html string) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := fmt.Sprintf("GET http://%s/ HTTP/1.1\r\nHost: %[1]s\r\n\r\n", host)
	resp := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + field + "\r\n"
	fmt.Fprintf(c, "RESPMOD icap://%s/winnow ICAP/1.0\r\nHost: %[1]s\r\nEncapsulated: req-hdr=0, res-hdr=%d, res-body=%d\r\n\r\n%s%s%x\r\n%s\r\n0\r\n\r\n",
		addr, len(req), len(req)+len(resp), req, resp, len(html), html)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "ICAP/1.0 200") {
		t.Errorf("%s: %q, %v", host, line, err)
	}
}
