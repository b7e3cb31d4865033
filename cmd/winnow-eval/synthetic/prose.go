package synthetic

import (
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"
)

// grammar has the sentence patterns of one language. {N} is a noun, {V} a verb, {A} an adjective, of the subject or
// common; {S} is always a noun of the subject; {D} is an adverb, {T} the tail of a sentence, {P} a person. {h}, {v} and
// {a} are words that sites use about themselves.
type grammar struct {
	sentences, titles, house, slogans, adverts []string
}

func grammarOf(language string) grammar {
	if language == "he" {
		return grammar{
			sentences: []string{
				"ה{N} {V} את ה{N} {T}.", "{P} {V} {N} {A} {D}.", "ה{N} ה{A} {V} {T}, וה{N} {V} {D}.",
				"כל {N} זקוקה ל{N} {A}, ולכן {P} {V} {D}.", "לא ה{N} אלא ה{N} {V} את ה{S} {D}.", "{N} {A} שווה יותר מ{N} {T}.",
			},
			titles:  []string{"ה{S} ה{A} וה{N}", "איך {P} {V} {S}", "{S} לכל {N}", "רשימות על {S} {A}", "מה {V} ה{S}"},
			house:   []string{"{v} את ה{h} ה{a} שלנו וקבלו {h}.", "ה{h} באתר כפוף ל{h} ול{h}.", "כל {h} מוגן לפי {h} {a}."},
			slogans: []string{"ה{h} ה{a} של ה{S} וה{S}"},
			adverts: []string{"{S} {a} במחיר של {h}", "{v} עכשיו: {S} ו{S} עם {h}", "{h} {a} לכל {S}"},
		}
	}
	return grammar{
		sentences: []string{
			"The {A} {N} {V} the {N} {T}.", "Nobody who {V} a {A} {N} forgets the {N}.", "{P} {V} the {N} {D}, and the {N} {V} it.",
			"A {A} {N} is worth more than a {N} that was {V} {D}.", "When the {N} had {V} the {A} {N}, {P} {V} another.",
			"It was the {S}, not the {N}, that {V} the {A} {N} {T}.", "Every {S} needs a {N}, though this one {V} {D}.",
			"There is no {A} {S} without a {N}.", "{P} asked whether the {N} could be {V} {D} {T}.",
		},
		titles: []string{
			"The {A} {S} and the {N}", "A {S} for every {N}", "What the {N} {V}: {S} and {S}", "How {P} {V} the {A} {S}",
			"Notes on a {A} {S}", "{S}, {N} and {S}", "Why the {S} {V} {D}",
		},
		house: []string{
			"{v} our {a} {h} and {v} the {h} at any time.", "The {h} is subject to our {h} and {h}.", "All {h} rights belong to the {a} {h}.",
			"By using this site you accept the {h}, the {h} and the {a} {h}.", "{v} or {v} your {h} on the {h} page.",
			"For {h} and {h} please {v} the {a} {h}.",
		},
		slogans: []string{"Your {a} {h} for the {S} and the {S}", "The {a} {h} of everything {S}"},
		adverts: []string{"{v} the {a} {S} {h} today", "{S} and {S}: {a} {h} until Sunday", "Save on every {S} with our {h}"},
	}
}

// commonShare is the share of words in prose outside of the subject. focusShare is the share of the subject's words
// from the focus of the text.
const (
	commonShare = 0.55
	focusShare  = 0.5
)

// writer makes up texts about a subject. All its random choices come from rng.
type writer struct {
	rng     *rand.Rand
	grammar grammar
	// focus is the part of the subject that one page is about, in its title and text.
	subject, focus, common, house, names lexicon
}

func (w *writer) pick(words []string) string { return words[w.rng.IntN(len(words))] }

// fill replaces the slots of a pattern.
func (w *writer) fill(pattern string) string {
	var b strings.Builder
	for {
		text, rest, ok := strings.Cut(pattern, "{")
		b.WriteString(text)
		if !ok {
			return capital(b.String())
		}
		slot, after, _ := strings.Cut(rest, "}")
		b.WriteString(w.slot(slot))
		pattern = after
	}
}

func (w *writer) slot(slot string) string {
	switch slot {
	case "N":
		return w.pick(w.either().part("nouns", w.common))
	case "V":
		return w.pick(w.either().part("verbs", w.common))
	case "A":
		return w.pick(w.either().part("adjectives", w.common))
	case "S":
		return w.pick(w.about()["nouns"])
	case "D":
		return w.pick(w.common["adverbs"])
	case "T":
		return w.pick(w.common["tails"])
	case "P":
		return w.pick(w.names["first"])
	case "h":
		return w.pick(w.house["nouns"])
	case "v":
		return w.pick(w.house["verbs"])
	default:
		return w.pick(w.house["adjectives"])
	}
}

// either is the subject's vocabulary or the common one.
func (w *writer) either() lexicon {
	if w.rng.Float64() < commonShare {
		return w.common
	}
	return w.about()
}

// about is the page's focus or all of its subject.
func (w *writer) about() lexicon {
	if w.rng.Float64() < focusShare {
		return w.focus
	}
	return w.subject
}

// some draws one n-th of the words of each part of speech, at least one.
func (w *writer) some(all lexicon, n int) lexicon {
	drawn := lexicon{}
	for _, part := range []string{"nouns", "verbs", "adjectives"} {
		words := all[part]
		for _, i := range w.rng.Perm(len(words))[:(len(words)+n-1)/n] {
			drawn[part] = append(drawn[part], words[i])
		}
	}
	return drawn
}

// title uses words of the focus only.
func (w *writer) title() string {
	narrow := *w
	narrow.subject, narrow.common = w.focus, w.focus.with(w.common)
	return narrow.fill(w.pick(w.grammar.titles))
}

// paragraph has least to most sentences.
func (w *writer) paragraph(least, most int) string {
	n := least + w.rng.IntN(most-least+1)
	sentences := make([]string, n)
	for i := range sentences {
		sentences[i] = w.fill(w.pick(w.grammar.sentences))
	}
	return strings.Join(sentences, " ")
}

func (w *writer) person() string { return w.pick(w.names["first"]) + " " + w.pick(w.names["last"]) }

func (w *writer) chance(p float64) bool { return w.rng.Float64() < p }

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
