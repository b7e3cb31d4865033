package cascade

import (
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

func (v *environment) get(name string) ([]token, bool) {
	for ; v != nil; v = v.up {
		if value, ok := v.vars[name]; ok {
			return value, value != nil
		}
	}
	return nil, false
}

// The most tokens that the variables in one value stand for, and the depth of variables in variables.
const (
	mostSubstituted = 2048
	mostVariables   = 24
)

// substitute replaces var() in a value. ok is false for a value that is not valid then.
func (v *environment) substitute(value []token, depth int, left *int) (out []token, ok bool) {
	for i := 0; i < len(value); i++ {
		t := value[i]
		if *left--; *left < 0 || depth > mostVariables {
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
		got, set := v.get(name[0].text)
		if !set {
			if !has {
				return nil, false
			}
			got = trimmed(fallback)
		}
		if got, ok = v.substitute(got, depth+1, left); !ok {
			return nil, false
		}
		out = append(out, got...)
	}
	return out, true
}

// with returns the environment with the custom properties that declarations set, the last of each name winning.
func (v *environment) with(decls []*declaration, key string) *environment {
	if v != nil && v.own && v.key == key {
		return v
	}
	next := &environment{up: v, vars: make(map[string][]token, len(decls)), key: key, own: true}
	for _, d := range decls {
		next.vars[d.name] = d.value
	}
	for name, value := range next.vars {
		if len(value) == 1 && value[0].kind == css.IdentToken && hasWord(wideWords, value[0].text) {
			if next.own = false; value[0].isWord("initial") {
				next.vars[name] = nil
			} else {
				inherited, _ := v.get(name)
				next.vars[name] = inherited
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
		next.resolve()
	}
	return next
}

// resolve replaces variables in the values of variables, where they are set (CSS Variables §2.3). A variable that
// refers to itself has no value.
func (v *environment) resolve() {
	resolved := make(map[string][]token, len(v.vars))
	for name, value := range v.vars {
		left := mostSubstituted
		if out, ok := v.substitute(value, 0, &left); ok && value != nil {
			if out == nil {
				out = []token{}
			}
			resolved[name] = out
		} else {
			resolved[name] = nil
		}
	}
	v.vars = resolved
}

// keyOf names declarations by where they stand.
type keyBuilder struct{ strings.Builder }

func (b *keyBuilder) add(order, at int) {
	for _, n := range [...]int{order, at} {
		b.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
	}
}
