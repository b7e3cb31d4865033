package pipeline

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// scripts remembers the names in the script files that have passed, so that mode auto need not guess which elements
// they look for. It keeps hashes alone, in memory, and is safe for concurrent use.
//
// What is known has an owner: where clients share models each knows its own scripts alone, for by a page that names a
// script anybody could see whether it is known, and so whether somebody has loaded it.
type scripts struct {
	decoder *decoder
	seed    maphash.Seed

	mu    sync.Mutex
	known *lru.LRU[string, *page.ScriptNames]
	size  int
}

const (
	// largestScript is the coded size of the largest script to read; scriptBytes bounds the memory for all names.
	largestScript = 1 << 20
	scriptBytes   = 16 << 20
	// mostScripts bounds the number of scripts. Most scripts have few names.
	mostScripts = 16 << 10
)

func newScripts() (*scripts, error) {
	s := &scripts{decoder: newDecoder(4*largestScript, 100), seed: maphash.MakeSeed()}
	var err error
	s.known, err = lru.NewLRU(mostScripts, func(_ string, n *page.ScriptNames) { s.size -= n.Size() })
	return s, err
}

// namesAt returns the names in the file at an address, where it has passed to the owner.
func (s *scripts) namesAt(owner, address string) (page.ScriptNames, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if names, ok := s.known.Get(s.key(owner, address)); ok {
		return *names, true
	}
	return page.ScriptNames{}, false
}

// scriptOwner is who knows the scripts that a client loads.
func (pl *Pipeline) scriptOwner(x *Job) string {
	if pl.opts.Shared {
		return x.client
	}
	return ""
}

// key is a hash, the same for different spellings of an address.
func (s *scripts) key(owner, address string) string {
	if u, err := url.Parse(address); err == nil {
		if host, err := hostname.SiteOf(u); err == nil {
			u.Host, u.User, u.Fragment, u.RawFragment = host, nil, "", ""
			address = u.String()
		}
	}
	return string(binary.NativeEndian.AppendUint64(nil, maphash.String(s.seed, owner+"\x00"+address)))
}

// watch has the body of a script read along, where resp is one.
func (s *scripts) watch(x *Job, resp *http.Response, owner string, a account) {
	codings, ok := contentCodings(resp.Header)
	if x.method != http.MethodGet || resp.StatusCode != http.StatusOK || !isScriptType(mediaTypeOf(resp.Header)) || !ok || resp.ContentLength > largestScript {
		return
	}
	resp.Body = &watchedScript{ReadCloser: resp.Body, scripts: s, owner: owner, address: x.url, codings: codings, account: a}
}

func isScriptType(mediaType string) bool {
	return strings.HasSuffix(mediaType, "/javascript") || strings.HasSuffix(mediaType, "/x-javascript") || strings.HasSuffix(mediaType, "/ecmascript")
}

// learn notes the names in a script.
func (s *scripts) learn(owner, address string, coded []byte, codings []string) {
	code, err := s.decoder.decode(coded, codings)
	if err != nil {
		return
	}
	names, ok := page.NamesInScript(string(code))
	s.put(owner, address, names, ok)
}

// put remembers the names in the file at an address, or forgets them where known is false.
func (s *scripts) put(owner, address string, names page.ScriptNames, known bool) {
	key := s.key(owner, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Remove(key)
	if !known {
		return
	}
	s.size += names.Size()
	s.known.Add(key, &names)
	for s.size > scriptBytes {
		s.known.RemoveOldest()
	}
}

// watchedScript is the body of a script that is copied while the client reads it.
type watchedScript struct {
	io.ReadCloser
	scripts *scripts
	owner   string
	address string
	codings []string
	account account
	read    []byte
	ended   bool
}

// Read implements io.Reader.
func (w *watchedScript) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	switch {
	case w.scripts == nil:
	case len(w.read)+n > largestScript || !w.account.take(int64(n)):
		w.forget()
	default:
		w.read = append(w.read, b[:n]...)
	}
	w.ended = w.ended || err == io.EOF
	return n, err
}

// forget drops the copy.
func (w *watchedScript) forget() {
	w.account.give(int64(len(w.read)))
	w.scripts, w.read = nil, nil
}

// Close implements io.Closer. A complete script is learned now, when the client has all of it.
func (w *watchedScript) Close() error {
	if w.ended && w.scripts != nil {
		w.scripts.learn(w.owner, w.address, w.read, w.codings)
	}
	w.forget()
	return w.ReadCloser.Close()
}
