package pipeline

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page/write/script"
	"github.com/winnow-proxy/winnow/proxy/exchange"
)

// What a script looks for is known once the script has passed, coded or not, and as long as it is not too large.
func TestScriptsAreReadAlong(t *testing.T) {
	files := map[string]string{"/plain.js": `$("#menu")`, "/coded.js": `$("#menu")`, "/large.js": strings.Repeat("x ", largestScript), "/more.js": `import("/x.js")`}
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		body := []byte(files[req.URL.Path])
		if req.URL.Path == "/coded.js" {
			w.Header().Set("Content-Encoding", "br")
			body = applyCodings(t, body, "br")
		}
		_, _ = w.Write(body)
	})
	for path, want := range map[string]bool{"/plain.js": true, "/coded.js": true, "/large.js": false, "/more.js": false} {
		address := r.origin.URL + path
		if _, known, _ := r.rw.scripts.namesAt("", address); known {
			t.Errorf("%s is known already", path)
		}
		if got := r.get(path, "Sec-Fetch-Dest", "script"); got.Header.Get("Winnow") != "passed; reason=type" || len(got.body) == 0 {
			t.Errorf("%s: Winnow %q, %d bytes", path, got.Header.Get("Winnow"), len(got.body))
		}
		if want {
			r.eventually(path+" is known", func() bool { _, known, _ := r.rw.scripts.namesAt("", address+"#x"); return known })
		} else if _, known, _ := r.rw.scripts.namesAt("", address); known {
			t.Errorf("%s is known", path)
		}
	}
	r.wantNothingCharged()
	if got := r.rw.scripts.size; got <= 0 {
		t.Errorf("names take %d bytes, and two scripts are known", got)
	}
}

func TestNamesOfScriptsAreBounded(t *testing.T) {
	s, err := newScripts()
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for i := range 30_000 {
		code.WriteString(" n" + strings.Repeat("a", i%50) + string(rune('a'+i%26)) + strings.Repeat("b", i/50%40))
	}
	names, ok := script.NamesIn(code.String())
	if !ok || names.Size() == 0 {
		t.Fatal("no names")
	}
	for i := range 2 * scriptBytes / names.Size() {
		s.put("", "http://a.test/"+strings.Repeat("x", i), &knownScript{Names: names}, true)
	}
	if s.size > scriptBytes || s.size < scriptBytes/2 {
		t.Errorf("names take %d bytes, at most %d may", s.size, scriptBytes)
	}
}

// Where clients share models, a script that one has loaded is not known to another: a page that names it would tell.
func TestScriptsAreKnownToWhoLoadsThem(t *testing.T) {
	for _, shared := range []bool{false, true} {
		r := newRig(t, serve([]byte(`$("#menu")`), "Content-Type", "text/javascript"), func(o *Options) { o.Shared = shared })
		load := func(client string) {
			req := httptest.NewRequest(http.MethodGet, "http://a.example/app.js", nil)
			req = req.WithContext((&exchange.Exchange{Name: client}).On(t.Context()))
			x := r.rw.Request(req)
			resp := &http.Response{StatusCode: http.StatusOK, Header: header("Content-Type", "text/javascript"), Body: io.NopCloser(strings.NewReader(`$("#menu")`)), Request: req}
			r.rw.Response(x, resp)
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		knows := func(client string) bool {
			_, known, _ := r.rw.scripts.namesAt((&Job{pl: r.rw, request: request{client: client}}).scriptOwner(), "http://a.example/app.js")
			return known
		}
		load("anne")
		r.eventually("anne knows it", func() bool { return knows("anne") })
		if !knows("anne") || knows("ben") == shared {
			t.Errorf("shared %v: anne knows it: %v, ben: %v", shared, knows("anne"), knows("ben"))
		}
	}
}

// The end of a script does not wait until it is learned, nor does a panic there reach anybody.
func TestScriptsAreLearnedBehindTheAnswer(t *testing.T) {
	var mu sync.Mutex
	lost := map[string]int{}
	r := newRig(t, serve([]byte(`$("#menu")`), "Content-Type", "text/javascript"), func(o *Options) {
		o.Metrics.ScriptLost = func(why string) {
			mu.Lock()
			defer mu.Unlock()
			lost[why]++
		}
	})
	r.rw.scripts.mu.Lock() // nothing can be learned
	got := make(chan int, 1)
	go func() { got <- len(r.get("/app.js").body) }()
	select {
	case n := <-got:
		if n == 0 {
			t.Error("nothing came")
		}
	case <-time.After(20 * time.Second):
		t.Error("the end of the script waits")
	}
	for range maxBehind + 8 {
		r.get("/app.js")
	}
	r.rw.scripts.mu.Unlock()
	r.wantNothingCharged()
	known := r.rw.scripts.known
	r.rw.scripts.mu.Lock()
	r.rw.scripts.known = nil // reading the next one panics
	r.rw.scripts.mu.Unlock()
	r.get("/app.js")
	r.eventually("a panic is counted", func() bool { mu.Lock(); defer mu.Unlock(); return lost["panic"] == 1 })
	r.rw.scripts.mu.Lock()
	r.rw.scripts.known = known
	r.rw.scripts.mu.Unlock()
	r.wantNothingCharged()
	if lost["dropped"] < 1 || lost["dropped"] > 10 {
		t.Errorf("of %d scripts that waited, %d were dropped", maxBehind+9, lost["dropped"])
	}
}
