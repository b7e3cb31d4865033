package pipeline

import (
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnow-proxy/winnow/model/page/write/script"
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
	// behind reads scripts after their answers.
	behind behind

	mu    sync.Mutex
	known *lru.LRU[scriptKey, *knownScript]
	size  int
	// bases has what pages rest on, so that a tag or a recipe need only name it.
	bases *lru.LRU[basis, []restsOn]
}

// scriptKey is a hash of a script's address and of who knows it.
type scriptKey uint64

// knownScript is what is known about a script: its names, and a hash of it.
type knownScript struct {
	script.Names
	print uint64
}

// restsOn is a script that a decision rests on, and what was known about it: its hash, 0 where nothing was.
type restsOn struct {
	script scriptKey
	print  uint64
}

// basis is a fingerprint of all scripts that the form of a page rests on and of what was known about them, 0 where it
// rests on none. A script that changes may look for a part that was cut.
type basis uint64

const (
	// largestScript is the coded size of the largest script to read; scriptBytes bounds the memory for all names.
	largestScript = 1 << 20
	scriptBytes   = 16 << 20
	// maxScripts bounds the number of scripts. Most scripts have few names.
	maxScripts = 16 << 10
	// maxBases bounds the number of bases, longestBasis the scripts of one. Pages of a site mostly share one.
	maxBases, longestBasis = 2048, 256
)

func newScripts() (*scripts, error) {
	s := &scripts{decoder: newDecoder(4*largestScript, 100), seed: maphash.MakeSeed()}
	var err error
	if s.known, err = lru.NewLRU(maxScripts, func(_ scriptKey, k *knownScript) { s.size -= k.Size() }); err != nil {
		return nil, err
	}
	s.bases, err = lru.NewLRU[basis, []restsOn](maxBases, nil)
	return s, err
}

// namesAt returns the names in the file at an address, where it has passed to the owner, and what was known of it.
func (s *scripts) namesAt(owner, address string) (names script.Names, known bool, on restsOn) {
	on.script = s.key(owner, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := s.known.Get(on.script); ok {
		on.print = k.print
		return k.Names, true, on
	}
	return script.Names{}, false, on
}

// basisOf returns the basis of a page that rests on scripts, in the order in which it names them.
func (s *scripts) basisOf(on []restsOn) basis {
	if len(on) == 0 {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, o := range on {
		maphash.WriteComparable(&h, o)
	}
	b := max(1, basis(h.Sum64()))
	if len(on) <= longestBasis {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bases.Add(b, on)
	}
	return b
}

// stands reports whether nothing of what is known about the scripts of a basis has changed. A basis that is not kept
// does not stand.
func (s *scripts) stands(b basis) bool {
	if b == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	on, kept := s.bases.Get(b)
	for _, o := range on {
		var now uint64
		if k, ok := s.known.Get(o.script); ok {
			now = k.print
		}
		if now != o.print {
			return false
		}
	}
	return kept
}

// scriptOwner is who knows the scripts that a client loads.
func (x *Job) scriptOwner() string {
	if x.shared() {
		return x.client
	}
	return ""
}

// scriptNames returns what the client of x knows of scripts, and notes in on what it was asked for. A page in a frame
// of another site has nothing of it.
func (x *Job) scriptNames(on *[]restsOn) func(address string) (script.Names, bool) {
	if x.framed {
		return nil
	}
	owner := x.scriptOwner()
	return func(address string) (script.Names, bool) {
		names, known, script := x.pl.scripts.namesAt(owner, address)
		*on = append(*on, script)
		return names, known
	}
}

// key is a hash, the same for different spellings of an address.
func (s *scripts) key(owner, address string) scriptKey {
	if u, err := url.Parse(address); err == nil {
		if host, err := hostname.SiteOf(u); err == nil {
			u.Host, u.User, u.Fragment, u.RawFragment = host, nil, "", ""
			address = u.String()
		}
	}
	return scriptKey(maphash.String(s.seed, owner+"\x00"+address))
}

// watchScript has the body of a script read along, where resp is one.
func (x *Job) watchScript(resp *http.Response) {
	codings, ok := contentCodings(resp.Header)
	if x.method != http.MethodGet || resp.StatusCode != http.StatusOK || !isScriptType(mediaTypeOf(resp.Header)) || !ok || resp.ContentLength > largestScript {
		return
	}
	resp.Body = &watchedScript{ReadCloser: resp.Body, pl: x.pl, owner: x.scriptOwner(), address: x.url, codings: codings, account: x.account()}
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
	names, ok := script.NamesIn(string(code))
	s.put(owner, address, &knownScript{names, max(1, maphash.Bytes(s.seed, code))}, ok)
}

// put remembers the names in the file at an address, or forgets them where known is false.
func (s *scripts) put(owner, address string, k *knownScript, known bool) {
	key := s.key(owner, address)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Remove(key)
	if !known {
		return
	}
	s.size += k.Size()
	s.known.Add(key, k)
	for s.size > scriptBytes {
		s.known.RemoveOldest()
	}
}

// watchedScript is the body of a script that is copied while the client reads it.
type watchedScript struct {
	io.ReadCloser
	pl      *Pipeline // nil once it is not to be read
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
	case w.pl == nil:
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
	w.pl, w.read = nil, nil
}

// Close implements io.Closer. A complete script is learned behind the answer, whose end waits for Close.
func (w *watchedScript) Close() error {
	if pl := w.pl; w.ended && pl != nil && len(w.read) > 0 {
		pl.learnScript(*w)
		w.pl, w.read = nil, nil // charged until it is learned
	}
	w.forget()
	return w.ReadCloser.Close()
}

// learnScript has a script learned that has passed. Where too many wait it is not, and counted.
func (pl *Pipeline) learnScript(w watchedScript) {
	learn := func() {
		defer w.account.give(int64(len(w.read)))
		pl.scripts.learn(w.owner, w.address, w.read, w.codings)
	}
	failed := func(err error) {
		pl.countScript("panic")
		pl.opts.Logger.Error("a script could not be read, and is not known", "panic", err)
	}
	if !pl.scripts.behind.add(learn, failed) {
		w.account.give(int64(len(w.read)))
		pl.countScript("dropped")
	}
}

// countScript counts a script that was not learned.
func (pl *Pipeline) countScript(why string) {
	if pl.opts.Metrics.ScriptLost != nil {
		pl.opts.Metrics.ScriptLost(why)
	}
}
