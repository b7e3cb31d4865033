package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// shortPause is a pause that all timeouts of winnow allow.
const shortPause = 2 * time.Second

// serveFault serves a fault. ask.faulty says what a client may expect of each kind.
func (w *world) serveFault(rw http.ResponseWriter, r *http.Request, kind string, id int) {
	switch kind {
	case "reset-early":
		reset(rw, "")
	case "reset-file":
		reset(rw, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\nonly a little")
	case "reset-page":
		reset(rw, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n<html><body><p>o\r\n")
	case "stall-header":
		<-r.Context().Done()
	case "stall-page":
		w.pause(rw, r, "text/html; charset=utf-8", newPage(w.number(r), id).body, shortPause)
	case "stall-file":
		w.pause(rw, r, "application/octet-stream", w.files[id%downloads].body, shortPause)
	case "stall-long":
		w.pause(rw, r, "text/html; charset=utf-8", newPage(w.number(r), id).body, w.longPause)
	case "stall-ever":
		w.pause(rw, r, "text/html; charset=utf-8", newPage(w.number(r), id).body, time.Hour)
	case "garbage-noise":
		raw(rw, string(noise(id, 2000)))
	case "garbage-chunks":
		raw(rw, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n")
	case "garbage-length":
		raw(rw, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello")
	case "garbage-header":
		raw(rw, "HTTP/1.1 200 OK\r\nX: "+string(bytes.Repeat([]byte{'a'}, 1<<20))+"\r\n\r\n")
	case "garbage-coding":
		sendAs(rw, "gzip", noise(id, 5000))
	case "garbage-page":
		sendAs(rw, "", noise(id, 5000))
	case "bomb":
		b := w.bombs[id%len(w.bombs)]
		sendAs(rw, b.coding, b.body)
	default:
		http.NotFound(rw, r)
	}
}

// pause sends half of body, waits, and sends the rest.
func (w *world) pause(rw http.ResponseWriter, r *http.Request, contentType string, body []byte, d time.Duration) {
	rw.Header().Set("Content-Type", contentType)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	half := len(body) / 2
	if _, err := rw.Write(body[:half]); err != nil {
		return
	}
	_ = http.NewResponseController(rw).Flush()
	if sleep(r.Context(), d) == nil {
		_, _ = rw.Write(body[half:])
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reset sends bytes and resets the connection. Over HTTP/2 it resets the stream.
func reset(w http.ResponseWriter, text string) {
	conn := takeOver(w)
	_, _ = io.WriteString(conn, text)
	under := conn
	if t, ok := conn.(*tls.Conn); ok {
		under = t.NetConn()
	}
	if t, ok := under.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	under.Close()
}

// raw sends bytes instead of a response.
func raw(w http.ResponseWriter, text string) {
	conn := takeOver(w)
	_, _ = io.WriteString(conn, text)
	conn.Close()
}

func takeOver(w http.ResponseWriter) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return conn
}

func sendAs(w http.ResponseWriter, coding string, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if coding != "" {
		w.Header().Set("Content-Encoding", coding)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// noise returns pseudorandom bytes, the same for the same number.
func noise(id, n int) []byte {
	b := make([]byte, n)
	var seed [32]byte
	copy(seed[:], fmt.Sprint(id))
	_, _ = rand.NewChaCha8(seed).Read(b) // never fails
	return b
}
