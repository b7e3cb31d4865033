package pipeline

import (
	"net/http"
	"slices"
	"strings"
)

// conditional remembers which of our tags a request carried, to restore them on a 304.
type conditional struct {
	sent []ownTag
	// own are all of the client's tags that are ours, whatever judged those pages.
	own []ownTag
	// foreign says that the request also has tags that are not ours.
	foreign bool
}

// mapConditionals turns the validators of a client's request into the origin's (RFC 9110 §13.1).
//
//   - If-None-Match: our tags of the variant that the page would have now become the origin's; those of another mode or
//     model state go, so that the page is sent anew. dropForeign removes the origin's own tags and a bare
//     If-Modified-Since as well: they stand for a copy that was never cleaned, or (a date) for one of unknown mode.
//     Whatever goes up, a page that comes back is compared with all our tags by its content, see [conditional.has].
//   - If-Match guards the origin's state, whatever we made of it: all our tags become the origin's.
//   - If-Range with our tag: a part can't complete a cleaned page, so the whole is asked for.
//
// fresh reports whether cleaning would give the same variant now.
func mapConditionals(h http.Header, fresh func(variant) bool, dropForeign bool) conditional {
	mapIfMatch(h)
	mapIfRange(h)
	return mapIfNoneMatch(h, fresh, dropForeign)
}

func mapIfNoneMatch(h http.Header, fresh func(variant) bool, dropForeign bool) conditional {
	var c conditional
	tags := tagList(h["If-None-Match"])
	if len(tags) == 0 || tags[0] == "*" {
		if dropForeign && len(tags) == 0 {
			h.Del("If-Modified-Since")
		}
		return c
	}
	var keep []string
	changed := false
	for _, s := range tags {
		t, own := parseOwnTag(s)
		if own {
			c.own = append(c.own, t)
		}
		switch {
		case !own && !dropForeign:
			keep, c.foreign = append(keep, s), true
			continue
		case own && t.kind != validatorNone && fresh(t.variant):
			c.sent = append(c.sent, t)
			if o := t.origin(); o != "" {
				keep = append(keep, o)
			}
		}
		changed = true
	}
	if len(keep) > 0 { // beside tags a date is not looked at (RFC 9110 §13.1.3)
		c.sent = slices.DeleteFunc(c.sent, func(t ownTag) bool { return t.kind == validatorDate })
	}
	if changed {
		setConditions(h, keep, c.sent)
	}
	return c
}

// setConditions writes If-None-Match, or If-Modified-Since if our tags contain only a date. It drops the client's own
// date: beside tags it has no effect (RFC 9110 §13.1.3), and it must not take effect when the tags go.
func setConditions(h http.Header, tags []string, sent []ownTag) {
	h.Del("If-None-Match")
	if len(tags) > 0 {
		h.Set("If-None-Match", strings.Join(tags, ", "))
		return
	}
	h.Del("If-Modified-Since")
	if len(sent) > 0 {
		h.Set("If-Modified-Since", sent[0].date())
	}
}

func mapIfMatch(h http.Header) {
	var keep []string
	date, changed := "", false
	for _, s := range tagList(h["If-Match"]) {
		if t, own := parseOwnTag(s); own && t.kind != validatorNone { // nothing of the origin's: it must not let the request pass
			s, date, changed = t.origin(), t.date(), true
		}
		if s != "" {
			keep = append(keep, s)
		}
	}
	if !changed {
		return
	}
	h.Del("If-Match")
	if len(keep) > 0 {
		h.Set("If-Match", strings.Join(keep, ", "))
	} else {
		h.Set("If-Unmodified-Since", date)
	}
}

func mapIfRange(h http.Header) {
	if _, own := parseOwnTag(h.Get("If-Range")); own {
		h.Del("If-Range")
		h.Del("Range")
	}
}

// has returns the tag of the client's copy of a page with this content, in the mode of v and on its basis, or false if
// it has none.
func (c conditional) has(v variant, content digest) (ownTag, bool) {
	for _, t := range c.own {
		if content != 0 && t.content == content && t.variant.mode == v.mode && t.variant.basis == v.basis {
			return t, true
		}
	}
	return ownTag{}, false
}

// restore returns our tag for a 304 with the origin's tag (empty if it has none), or false if the 304 is about a copy
// that is not ours.
func (c conditional) restore(origin string) (ownTag, bool) {
	for _, t := range c.sent {
		if sameTag(t.origin(), origin) {
			return t, true
		}
	}
	// A date has no tag to compare, and some origins omit the tag in a 304 although RFC 9110 §15.4.5 requires it.
	if len(c.sent) > 0 && !c.foreign {
		return c.sent[0], true
	}
	return ownTag{}, false
}

// tagList splits the lines of a field of entity tags. Tags may hold commas and, unlike quoted strings, backslashes that
// escape nothing (RFC 9110 §8.8.3).
func tagList(lines []string) []string {
	var tags []string
	for _, line := range lines {
		for line != "" {
			end, quoted := 0, false
			for end < len(line) && (quoted || line[end] != ',') {
				quoted = quoted != (line[end] == '"')
				end++
			}
			if tag := strings.TrimSpace(line[:end]); tag != "" {
				tags = append(tags, tag)
			}
			line = line[min(end+1, len(line)):]
		}
	}
	return tags
}
