package facts

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-proxy/winnow/model/page"
)

// showsAmount reports whether block b shows a declared price, in any way of writing numbers.
func (f *finder) showsAmount(b page.BlockID, declared string) bool {
	want := amounts(declared)
	if len(want) != 1 || want[0] == 0 {
		return false
	}
	text := f.Text(b)
	if !hasCurrency(text) && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || r == '%' }) {
		return false
	}
	for _, a := range amounts(text) {
		if a == want[0] {
			return true
		}
	}
	return false
}

// maxDigits is the most digits of a price.
const maxDigits = 12

// amounts returns the numbers in a text, in hundredths. The last separator of a number is a decimal one if one or two
// digits follow it, or any number of zeros.
func amounts(text string) (all []int64) {
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		end := i
		for end < len(text) && (isDigit(text[end]) || end+1 < len(text) && isSeparator(text[end]) && isDigit(text[end+1]) ||
			strings.HasPrefix(text[end:], "\u00a0") && end+4 < len(text) && areDigits(text[end+2:end+5])) {
			end++
			if end < len(text) && text[end] == 0xa0 {
				end++
			}
		}
		if a, ok := amount(text[i:end]); ok {
			all = append(all, a)
		}
		i = end
	}
	return all
}

// hasDigit reports whether a text has a digit of ASCII.
func hasDigit(text string) bool {
	for i := range len(text) {
		if isDigit(text[i]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isSeparator(c byte) bool { return c == '.' || c == ',' || c == '\'' }

func areDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// amount reads one number.
func amount(s string) (int64, bool) {
	whole, decimals := s, ""
	if at := strings.LastIndexAny(s, ".,"); at >= 0 {
		if after := s[at+1:]; len(after) <= 2 || strings.Trim(after, "0") == "" && len(after) > 3 {
			whole, decimals = s[:at], (after + "0")[:2]
		}
	}
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, whole) + (decimals + "00")[:2]
	if len(digits) > maxDigits {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// hasCurrency reports whether a text, in lower case, has the sign or the code of a currency.
func hasCurrency(text string) bool {
	for _, r := range text {
		if r == '$' || r >= utf8.RuneSelf && unicode.Is(unicode.Sc, r) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "usd", "eur", "euro", "gbp", "chf", "sek", "nok", "dkk", "kr", "pln", "zł", "kč", "ft", "huf", "czk", "ron", "lei", "лв", "руб", "р", "rub", "byn",
			"грн", "uah", "tl", "try", "jpy", "円", "cny", "元", "rmb", "inr", "rs", "aud", "cad", "nzd", "hkd", "sgd", "brl", "r", "mxn", "ars", "zar", "aed",
			"ريال", "درهم", "ден", "din", "rsd", "kn", "hrk":
			return true
		}
	}
	return false
}
