// Package words has what winnow's own pages say to the people who read with it, in their languages. Each language is a
// file of messages; messages.br has them all, because the program has to stay small.
package words

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// packed is made from the folder messages by go test ./proxy/words -update.
//
//go:embed messages.br
var packed []byte

// Language is what the pages say in one language.
type Language struct {
	// Tag names the language (BCP 47).
	Tag      string
	messages map[string]string
}

// languages returns those that there are, English first.
var languages = sync.OnceValue(func() []*Language { //nolint:gochecknoglobals // they never change
	all, err := read(packed)
	if err != nil {
		panic(err) // it is embedded, and a test reads it
	}
	return all
})

// read unpacks the languages: each begins with a line that has its tag in brackets. The first has a key before each
// message, the others have the messages in the same order.
func read(packed []byte) (all []*Language, err error) {
	var keys []string
	var l *Language
	lines := bufio.NewScanner(brotli.NewReader(bytes.NewReader(packed)))
	for lines.Scan() {
		text := lines.Text()
		if tag, ok := strings.CutPrefix(text, "["); ok {
			l = &Language{strings.TrimSuffix(tag, "]"), map[string]string{}}
			all = append(all, l)
			continue
		}
		if len(all) == 1 {
			var key string
			key, text, _ = strings.Cut(text, ": ")
			keys = append(keys, key)
		}
		l.messages[keys[len(l.messages)]] = text
	}
	return all, lines.Err()
}

// All lists the languages, English first.
func All() []*Language { return languages() }

// For returns the language that a request asks for first of those that winnow speaks (RFC 9110 §12.5.4), else English.
// The primary subtag decides: the matcher of x/text would be larger than all messages.
func For(r *http.Request) *Language {
	best, most := All()[0], 0.
	for asked := range strings.SplitSeq(strings.Join(r.Header["Accept-Language"], ","), ",") {
		tag, weight, _ := strings.Cut(asked, ";")
		primary, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
		q := 1.
		if _, number, ok := strings.Cut(weight, "="); ok {
			q, _ = strconv.ParseFloat(strings.TrimSpace(number), 64) // 0 where it is none
		}
		for _, l := range All() {
			if q > most && strings.EqualFold(l.Tag, primary) {
				best, most = l, q
			}
		}
	}
	return best
}

// Dir is the direction of writing, as HTML names it.
func (l *Language) Dir() string { return l.messages["dir"] }

// Say returns a message with args in the place of {1}, {2} …, as HTML: of args, only a template.HTML is markup. A key
// without a message stands for itself.
func (l *Language) Say(key string, args ...any) template.HTML {
	text, ok := l.messages[key]
	if !ok {
		text = key
	}
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		markup, ok := arg.(template.HTML)
		if !ok {
			markup = template.HTML(template.HTMLEscapeString(fmt.Sprint(arg)))
		}
		pairs = append(pairs, fmt.Sprintf("{%d}", i+1), string(markup))
	}
	return template.HTML(strings.NewReplacer(pairs...).Replace(template.HTMLEscapeString(text)))
}

// Has reports whether there is a message.
func (l *Language) Has(key string) bool {
	_, ok := l.messages[key]
	return ok
}
