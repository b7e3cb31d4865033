package synthetic

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// wordFiles are the vocabularies, LANGUAGE-SUBJECT.txt: lines of a part of speech and its words, where "_" is a blank
// within a phrase. templateFiles are the sites' templates.
var (
	//go:embed words
	wordFiles embed.FS
	//go:embed templates
	templateFiles embed.FS
)

// lexicon are words by part of speech.
type lexicon map[string][]string

func loadLexicon(language, subject string) (lexicon, error) {
	b, err := fs.ReadFile(wordFiles, "words/"+language+"-"+subject+".txt")
	if err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	l := lexicon{}
	for line := range strings.Lines(string(b)) {
		part, words, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("vocabulary %s-%s: line %q has no part of speech", language, subject, line)
		}
		for _, w := range strings.Fields(words) {
			l[part] = append(l[part], strings.ReplaceAll(w, "_", " "))
		}
	}
	return l, nil
}

// part returns the words of a part of speech, from instead if l has none.
func (l lexicon) part(part string, instead lexicon) []string {
	if len(l[part]) > 0 {
		return l[part]
	}
	return instead[part]
}

// with returns l with the parts of speech that only other has.
func (l lexicon) with(other lexicon) lexicon {
	both := lexicon{}
	for part, words := range other {
		both[part] = words
	}
	for part, words := range l {
		both[part] = words
	}
	return both
}
