package pipeline

import (
	"iter"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// elements returns the elements of a list field (RFC 9110 §5.6.1), trimmed and without empty ones. Commas inside quoted
// strings do not split.
func elements(lines []string) []string { return slices.Collect(eachElement(lines)) }

// eachElement is elements without a copy.
func eachElement(lines []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range lines {
			for line != "" {
				var e string
				if e, line = cutUnquoted(line, ','); e != "" && !yield(e) {
					return
				}
			}
		}
	}
}

// cutUnquoted cuts s at the first sep outside quoted strings. It trims the head. An unclosed quote extends to the end.
func cutUnquoted(s string, sep byte) (head, tail string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case quoted && s[i] == '\\':
			i++
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			return strings.TrimSpace(s[:i]), s[i+1:]
		}
	}
	return strings.TrimSpace(s), ""
}

// weighted is one element of a field like Accept: its name in lower case, without parameters, and its weight in [0,1].
type weighted struct {
	name string
	q    float64
}

// parseWeighted reads the lines of Accept or Accept-Encoding. An element with a malformed weight counts as refused:
// sending what a client can't read is worse than not sending what it can.
func parseWeighted(lines []string) []weighted {
	var list []weighted
	for e := range eachElement(lines) {
		if list == nil {
			list = make([]weighted, 0, 4)
		}
		name, params := cutUnquoted(e, ';')
		if name == "" {
			continue
		}
		list = append(list, weighted{strings.ToLower(name), weight(params)})
	}
	return list
}

// weight returns the weight among an element's parameters (RFC 9110 §12.4.2), 1 if there is none.
func weight(params string) float64 {
	for params != "" {
		var p string
		p, params = cutUnquoted(params, ';')
		key, val, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(val), 64)
		if err != nil || !(q >= 0 && q <= 1) { // the second form catches NaN as well
			return 0
		}
		return q
	}
	return 1
}

// hasDirective reports whether Cache-Control has the directive, with or without an argument.
func hasDirective(h http.Header, directive string) bool {
	for e := range eachElement(h["Cache-Control"]) {
		name, _, _ := strings.Cut(e, "=")
		if strings.EqualFold(strings.TrimSpace(name), directive) {
			return true
		}
	}
	return false
}

// addVary makes Vary name each field once; "*" covers all. Elements are names, so a quote is an error and quotes
// nothing.
func addVary(h http.Header, fields ...string) {
	have := make([]string, 0, len(fields)+2)
	for _, line := range h["Vary"] {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" {
				have = append(have, name)
			}
		}
	}
	if slices.Contains(have, "*") {
		return
	}
	n := len(have)
	for _, f := range fields {
		if !containsFold(have, f) {
			have = append(have, f)
		}
	}
	if len(have) > n {
		h["Vary"] = []string{strings.Join(have, ", ")}
	}
}

func containsFold(list []string, s string) bool {
	for _, e := range list {
		if strings.EqualFold(e, s) {
			return true
		}
	}
	return false
}

// formatWeight writes a weight with at most three decimals, as RFC 9110 §12.4.2 has it; a weight above 0 stays above 0.
func formatWeight(q float64) string {
	if q > 0 && q < 0.001 {
		q = 0.001
	}
	return strconv.FormatFloat(math.Round(q*1000)/1000, 'f', -1, 64)
}
