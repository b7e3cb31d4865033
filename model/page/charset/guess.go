package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// script describes the text of a language, or of a few similar ones, by its characters beyond ASCII.
type script struct {
	// encodings are the encodings of pages in it, by their WHATWG labels.
	encodings []string
	// letters are the frequent letters in lower case, share the part of all letters that they make up.
	letters string
	share   float64
}

// scripts lists what can be guessed. Among equals the first wins. Languages in windows-1252 come first, because that is
// the usual encoding of pages that declare none.
var scripts = []script{ //nolint:gochecknoglobals // a constant table
	{[]string{"windows-1252"}, "éèàêçùôîâûëïœ", .9},
	{[]string{"windows-1252"}, "äöüß", .9},
	{[]string{"windows-1252"}, "áéíóúñü", .9},
	{[]string{"windows-1252"}, "ãçáéíóõêâàúô", .9},
	{[]string{"windows-1252"}, "èàìòùé", .9},
	{[]string{"windows-1252"}, "åäöæøé", .9},
	{[]string{"windows-1252"}, "áðéíóúýþæö", .9},
	{[]string{"windows-1251", "koi8-u", "iso-8859-5", "ibm866"}, "оеаинтсрвлкм", .7},
	{[]string{"windows-1250", "iso-8859-2"}, "ąćęłńóśźż", .9},
	{[]string{"windows-1250", "iso-8859-2"}, "áčďéěíňóřšťúůýž", .9},
	{[]string{"windows-1250", "iso-8859-2"}, "áéíóöőúüű", .9},
	{[]string{"windows-1250", "iso-8859-2"}, "ăâîşţ", .9},
	{[]string{"windows-1250", "iso-8859-2"}, "čćđšž", .9},
	{[]string{"windows-1253", "iso-8859-7"}, "αοιετσνρκπηυ", .7},
	{[]string{"windows-1254"}, "çğıöşüâi", .9},
	{[]string{"windows-1255"}, "יוהלאשתרמבנ", .8},
	{[]string{"windows-1256"}, "اليمونرتبةعدسفهكقحی", .8},
	{[]string{"windows-1257"}, "ąčęėįšųūžāēģīķļņõäöü", .9},
	{[]string{"windows-1258"}, "àáâãèéêìíòóôõùúăđĩũơư\u0300\u0301\u0303\u0309\u0323", .9},
	{[]string{"windows-874"}, "านรอกเงมยลวดสตทคบปหแไะาิีุู่้ั็์", .8},
	{[]string{"shift_jis", "euc-jp"}, kana, .4},
	{[]string{"gb18030"}, "的一是不了在人有我他这个上们来到时大地为子中你说生国年着就那和要出也得里后自以会家可下而过天去能对小多" +
		"然于心学么之都好看起发当没成只如事把还用第样道想作种开总从无面最但现前些所同日手又行意动方期经长分因法间高新", .3},
	{[]string{"big5"}, "的一是不了在人有我他這個上們來到時大地為子中你說生國年著就那和要出也得里後自以會家可下而過天去能對小多" +
		"然於心學麼之都好看起發當沒成只如事把還用第樣道想作種開總從無面最但現前些所同日手又行意動方期經長分因法間高新", .3},
	{[]string{"euc-kr"}, "이다는에의가을를고하지한은로기사리자어대시도인나서해스정그부일수아보제라전만주장상으여오원과", .4},
}

// kana are the Japanese syllables, which no other language has.
const kana = "あいうえおかがきぎくぐけげこごさざしじすずせぜそただちっつてでとどなにのはばひびふへほまみむめもやゆよらりるれろわをんょゅゃ" +
	"アイウエオカガキクグコゴサシジスズセタダチッツテデトドナニノハバパヒビピフブプベペポマミムメモヤュョラリルレロワンィェー"

// Bounds of a guess: how much text it reads, and how much of it must match.
const (
	guessBytes   = 2 << 10
	guessLetters = 4
	guessLeast   = .5
)

// guess guesses the encoding of bytes that are not UTF-8 and declare nothing: the one in which the letters
// beyond ASCII are frequent letters of a language.
func guess(src []byte) Encoding {
	sample := textBeyondASCII(src)
	best, _ := Lookup("windows-1252")
	most := guessLeast
	for _, s := range scripts {
		for _, label := range s.encodings {
			t, _ := Lookup(label)
			text, err := t.Decode(sample)
			if like := s.likeness(text); err == nil && like > most {
				best, most = t, like
			}
		}
	}
	return best
}

// textBeyondASCII returns some of the text of src: the texts between two tags that have bytes beyond ASCII. No encoding
// has the bytes of "<" and ">" in another character.
func textBeyondASCII(src []byte) (text []byte) {
	for len(src) > 0 && len(text) < guessBytes {
		var part []byte
		part, src, _ = bytes.Cut(src, []byte("<"))
		if i := bytes.IndexByte(part, '>'); i >= 0 {
			part = part[i+1:]
		}
		if part = part[:min(len(part), guessBytes)]; bytes.ContainsFunc(part, func(r rune) bool { return r >= utf8.RuneSelf }) {
			text = append(append(text, part...), '\n')
		}
	}
	return text
}

// likeness says how well a text's letters beyond ASCII match s. It is 1 if they are as frequent as usual. A capital
// counts at the beginning of a word. A sign within a word counts against s; so does a single letter, if s is not Latin.
func (s *script) likeness(text []byte) float64 {
	first, _ := utf8.DecodeRuneInString(s.letters)
	latin := unicode.Is(unicode.Latin, first)
	var all, own, broken float64
	var before rune
	for i, r := range string(text) {
		last := before
		before = r
		if r < utf8.RuneSelf {
			continue
		}
		next, _ := utf8.DecodeRune(text[i+utf8.RuneLen(r):])
		lower := unicode.ToLower(r)
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			broken++
		case strings.ContainsRune(s.letters, lower) && (lower == r || !unicode.IsLetter(last)):
			all++
			if latin || foreign(last) || foreign(next) {
				own++
			}
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsLetter(last) && unicode.IsLetter(next):
			all++
		}
	}
	if own < guessLetters || broken > 2+all/100 {
		return 0
	}
	return own/all/s.share - broken/all
}

// foreign reports whether r belongs to a word beyond ASCII.
func foreign(r rune) bool { return r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r)) }
