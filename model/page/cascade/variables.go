package cascade

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// environment has the custom properties of an element. Those that it does not set itself are those of its parent.
type environment struct {
	up   *environment
	vars map[string][]token
	// key names the declarations that set vars.
	key string
	// own says that the values depend on nothing else.
	own bool
}

// get returns the value of a variable, and from how far above it is.
func (v *environment) get(name string) (value []token, hops int) {
	for ; v != nil; v = v.up {
		if value, ok := v.vars[name]; ok {
			return value, hops
		}
		hops++
	}
	return nil, hops
}

// The most tokens that the variables in one value stand for, and the depth of variables in variables. A variable from
// far above counts as several tokens.
const (
	maxSubstituted = 2048
	maxVariables   = 24
	hopsPerToken   = 8
	// beyondBounds is more work than any page has: browsers go on with a value that is longer.
	beyondBounds = 1 << 40
)

// substitute appends a value to out, with var() replaced. in has the variables that the value is in. ok is false for a
// value that is not valid, such as one with a variable that it is in. left is below 0 where it goes beyond the bounds.
func (v *environment) substitute(out, value []token, in []string, left *int) (_ []token, ok bool) {
	for i := 0; i < len(value); i++ {
		t := value[i]
		if *left--; len(in) > maxVariables {
			*left = -1
		}
		if *left < 0 {
			return nil, false
		}
		if t.kind != css.FunctionToken || t.text != "var" {
			out = append(out, t)
			continue
		}
		inside, after := brackets(value[i:])
		i = len(value) - len(after) - 1
		name, fallback, has := inside, []token(nil), false
		if comma := indexOf(inside, ","); comma >= 0 {
			name, fallback, has = inside[:comma], inside[comma+1:], true
		}
		if name = trimmed(name); len(name) != 1 {
			return nil, false
		}
		if slices.Contains(in, name[0].text) {
			return nil, false
		}
		got, hops := v.get(name[0].text)
		*left -= hops / hopsPerToken
		if got == nil {
			if !has {
				return nil, false
			}
			got = trimmed(fallback)
		}
		if out, ok = v.substitute(out, got, append(in, name[0].text), left); !ok {
			return nil, false
		}
	}
	return out, true
}

// with returns the environment with the custom properties that declarations set, the last of each name winning, and the
// work that it took in tokens.
func (v *environment) with(decls []*declaration, key string) (next *environment, work int) {
	if v != nil && v.own && v.key == key {
		return v, 0
	}
	next = &environment{up: v, vars: make(map[string][]token, len(decls)), key: key, own: true}
	for _, d := range decls {
		next.vars[d.name] = d.value
	}
	for name, value := range next.vars {
		if len(value) == 1 && value[0].kind == css.IdentToken && hasWord(wideWords, value[0].text) {
			if next.own = false; value[0].isWord("initial") {
				next.vars[name] = nil
			} else {
				inherited, hops := v.get(name)
				next.vars[name], work = inherited, work+hops
			}
			continue
		}
		for _, t := range value {
			if t.kind == css.FunctionToken && t.text == "var" {
				next.own = false
				break
			}
		}
	}
	if !next.own {
		work += next.resolve()
	}
	return next, work + len(decls)
}

// resolve replaces variables in the values of variables, where they are set (CSS Variables §2.3). A variable that
// refers to itself has no value.
func (v *environment) resolve() (work int) {
	resolved := make(map[string][]token, len(v.vars))
	for name, value := range v.vars {
		left := maxSubstituted
		out, ok := v.substitute(nil, value, []string{name}, &left)
		if work += 4 + maxSubstituted - left; left < 0 {
			work += beyondBounds
		}
		if ok && value != nil {
			if out == nil {
				out = []token{}
			}
			resolved[name] = out
		} else {
			resolved[name] = nil
		}
	}
	v.vars = resolved
	return work
}

// keyOf names declarations by where they stand.
type keyBuilder struct{ strings.Builder }

func (b *keyBuilder) add(order, at int) {
	for _, n := range [...]int{order, at} {
		b.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
}
