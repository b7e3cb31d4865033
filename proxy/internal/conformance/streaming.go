package conformance

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// prompt is the maximum delay of a byte between origin and client.
const prompt = 50 * time.Millisecond

// attempts is how often a timing check is made before it fails: other load on the machine may delay any single one.
const attempts = 10

func streaming() []Requirement {
	all := allWays()
	return []Requirement{
		{"stream-events", "winnow", "Events of text/event-stream reach the client within 50 ms after the origin sent them.", all, streamOf("text/event-stream")},
		{"stream-ndjson", "winnow", "Lines of application/x-ndjson reach the client within 50 ms.", all, streamOf("application/x-ndjson")},
		{"stream-download", "winnow", "The parts of a chunked download reach the client within 50 ms.", all, streamOf("application/octet-stream")},
		{"stream-header", "winnow", "The header of an answer reaches the client within 50 ms, however late its body begins.", all, checkEarlyHeader},
		{"stream-upload", "winnow", "The parts of a request's body reach the origin before the client has sent all of them.", all, checkUpload},
		{"stream-early-answer", "RFC 9110 §7.5", "An answer that comes before the request's body has been sent reaches the client.", all, checkEarlyAnswer},
		{"stream-client-leaves", "winnow", "When a client leaves a stream, the origin notices within two seconds.", all, checkClientLeaves},
	}
}

// streamOf returns the check for streams of a media type.
func streamOf(mediaType string) func(p *Probe) {
	return func(p *Probe) {
		o := p.Serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			for range 5 {
				fmt.Fprintln(w, time.Now().Format(time.RFC3339Nano))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(2 * prompt)
			}
		})
		p.punctual(func() time.Duration {
			resp, err := p.Client().Do(p.Request(http.MethodGet, o.URL+"/stream", nil))
			p.Need(err, "ask for the stream")
			defer resp.Body.Close()
			var late []time.Duration
			for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
				sent, err := time.Parse(time.RFC3339Nano, lines.Text())
				p.Need(err, "a part of the stream")
				late = append(late, time.Since(sent))
			}
			if len(late) != 5 {
				p.Failf("%d of 5 parts arrived", len(late))
			}
			slices.Sort(late)
			return late[2]
		})
	}
}

// punctual expects a measured time of at most prompt, in the best of several attempts.
func (p *Probe) punctual(measure func() time.Duration) {
	best := time.Hour
	for range attempts {
		if best = min(best, measure()); best <= prompt {
			return
		}
	}
	p.Failf("%v late, at the best of %d attempts", best.Round(time.Millisecond), attempts)
}

func checkEarlyHeader(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Sent", time.Now().Format(time.RFC3339Nano))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(300 * time.Millisecond):
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "late")
	})
	p.punctual(func() time.Duration {
		resp, err := p.Client().Do(p.Request(http.MethodGet, o.URL+"/", nil))
		p.Need(err, "the answer")
		defer resp.Body.Close()
		sent, err := time.Parse(time.RFC3339Nano, resp.Header.Get("X-Sent"))
		p.Need(err, "the origin's header")
		return time.Since(sent)
	})
}

func checkUpload(p *Probe) {
	arrived := make(chan string, 1)
	o := p.Serve(func(_ http.ResponseWriter, r *http.Request) {
		line, _ := bufio.NewReader(r.Body).ReadString('\n')
		arrived <- line
		_, _ = io.Copy(io.Discard, r.Body)
	})
	body, writer := io.Pipe()
	go func() {
		defer func() { _ = writer.Close() }()
		_, _ = io.WriteString(writer, "first\n")
		select {
		case got := <-arrived:
			p.Expect(got == "first\n", "the origin got %q", got)
		case <-time.After(2 * time.Second):
			p.Errorf("the first part did not arrive while the second was held back")
		}
		_, _ = io.WriteString(writer, "second\n")
	}()
	a, err := p.Try(p.Request(http.MethodPost, o.URL+"/", body))
	p.Need(err, "the upload")
	p.Expect(a.StatusCode == http.StatusOK, "%s", a.Status)
}

func checkEarlyAnswer(p *Probe) {
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 does not need it
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_ = http.NewResponseController(w).Flush()
		_, _ = io.Copy(io.Discard, r.Body)
	})
	body, writer := io.Pipe()
	defer context.AfterFunc(p.ctx, func() { _ = writer.Close() })() // net/http's client waits for this
	defer func() { _ = writer.Close() }()
	go func() { _, _ = io.WriteString(writer, strings.Repeat("x", 1000)) }() // and no more
	resp, err := p.Client().Do(p.Request(http.MethodPost, o.URL+"/", body))
	p.Need(err, "the early answer")
	_ = resp.Body.Close()
	p.Expect(resp.StatusCode == http.StatusRequestEntityTooLarge, "%s", resp.Status)
}

func checkClientLeaves(p *Probe) {
	noticed := make(chan time.Time, 1)
	o := p.Serve(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, ": tick\n"); err != nil {
				break
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(20 * time.Millisecond)
		}
		noticed <- time.Now()
	})
	resp, err := p.Client().Do(p.Request(http.MethodGet, o.URL+"/events", nil))
	p.Need(err, "ask for the stream")
	_, err = bufio.NewReader(resp.Body).ReadString('\n')
	p.Need(err, "the first event")
	_ = resp.Body.Close()
	select {
	case <-noticed:
	case <-time.After(2 * time.Second):
		p.Failf("the origin still sends after two seconds")
	}
}
