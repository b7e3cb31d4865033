package script

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
)

// Hydrates reports whether a framework takes the page over in the browser: it compares the page with what it would have
// made itself, and renders all of it again, or stops, if an element is missing. It ignores attributes that it did not
// write (React 18 and 19, Vue 3, Svelte 5). The evidence is the marks that frameworks leave when they render on a
// server.
func Hydrates(p *page.Page) bool {
	for i := range p.Elements {
		e := page.ElementID(i)
		if isHydrationMark(p, e) || isApplicationRoot(p, e) {
			return true
		}
	}
	return hasHydrationComment(p)
}

// hasHydrationComment reads the beginnings of comments.
func hasHydrationComment(p *page.Page) bool {
	rest := p.Source
	for {
		i := bytes.IndexByte(rest, '!') // rarer than "<"
		if i < 0 {
			return false
		}
		opens := i > 0 && rest[i-1] == '<' && bytes.HasPrefix(rest[i+1:], []byte("--"))
		if rest = rest[i+1:]; !opens {
			continue
		}
		rest = rest[len("--"):]
		for _, start := range [...]string{"$-->", "$?-->", "[-->", "[0-->", "lit-part", "qv ", "ssr:", "nghm-->", "astro:"} {
			if len(rest) >= len(start) && string(rest[:len(start)]) == start {
				return true
			}
		}
	}
}

// isHydrationMark reads the names of elements, attributes and ids, and of the variables that scripts set.
func isHydrationMark(p *page.Page, e page.ElementID) bool {
	el := &p.Elements[e]
	if el.Tag == atom.Script {
		return setsState(p, e)
	}
	if el.Name == "astro-island" {
		return true
	}
	for _, a := range p.Attrs(e) {
		switch a.Key {
		case "id":
			switch a.Val {
			case "__next", "__nuxt", "___gatsby", "__docusaurus", "svelte", "VPContent", "app-root", "ember-basic-dropdown-wormhole":
				return true
			}
		case "data-reactroot", "data-reactid", "data-server-rendered", "data-v-app", "ng-version", "ng-server-context", "ngh", "q:container", "data-hk",
			"data-svelte-h", "data-sveltekit-preload-data", "data-sveltekit-hydrate", "data-hydrate", "data-ssr", "data-n-head-ssr", "data-beasties-container":
			return true
		}
	}
	return false
}

// The names that frameworks give to what they take over: those that begin with an underscore, and others.
//
//nolint:gochecknoglobals // constant tables
var (
	underscoredNames = []string{"__NEXT_DATA__", "__next_f", "__NUXT__", "__NUXT_DATA__", "__remixContext", "__reactRouterContext", "__sveltekit",
		"__VP_HASH_MAP__", "__VP_SITE_DATA__", "___gatsby", "__FRSH_STATE", "__APOLLO_STATE__", "__INITIAL_STATE__", "__PRELOADED_STATE__", "_$HY"}
	otherNames = []string{"$_TSR", "hydrateRoot", "createSSRApp"}
)

// setsState reports whether a script, by its text or its id, has the name of what a framework takes over.
func setsState(p *page.Page, e page.ElementID) bool {
	id, _ := p.Attr(e, "id")
	if slices.Contains(underscoredNames, id) || slices.Contains(otherNames, id) {
		return true
	}
	el := &p.Elements[e]
	for i := el.TextStart; i < el.TextEnd; i++ {
		code := p.Texts[i].Data
		if hasUnderscored(code) || slices.ContainsFunc(otherNames, func(name string) bool { return strings.Contains(code, name) }) {
			return true
		}
	}
	return false
}

// hasUnderscored reports whether one of the names is in code, in one pass.
func hasUnderscored(code string) bool {
	for {
		i := strings.IndexByte(code, '_')
		if i < 0 || i+1 == len(code) {
			return false
		}
		if c := code[i+1]; c == '_' || c == '$' {
			if slices.ContainsFunc(underscoredNames, func(name string) bool { return strings.HasPrefix(code[i:], name) }) {
				return true
			}
		}
		code = code[i+1:]
	}
}

// isApplicationRoot reports whether e is the usual box of an application and already has contents, which only a server
// can have rendered.
func isApplicationRoot(p *page.Page, e page.ElementID) bool {
	el := &p.Elements[e]
	if el.Tag != atom.Div && el.Tag != atom.Main || el.BlockStart == el.BlockEnd {
		return false
	}
	switch id, _ := p.Attr(e, "id"); id {
	case "root", "app", "react-root", "react-app", "mount", "app-container", "application":
		return hasExternalScript(p)
	}
	return false
}

func hasExternalScript(p *page.Page) bool {
	for e := range p.Elements {
		if src, _ := p.Attr(page.ElementID(e), "src"); p.Elements[e].Tag == atom.Script && src != "" {
			return true
		}
	}
	return false
}

// HydratesDocument reports whether the framework takes over the document from its root, and fails on elements in the
// head that it did not put there (Remix up to version 2, on React 18).
func HydratesDocument(p *page.Page) bool {
	const name = "__remixContext"
	for e := range p.Elements {
		if p.Elements[e].Tag != atom.Script {
			continue
		}
		if id, _ := p.Attr(page.ElementID(e), "id"); id == name || strings.Contains(p.TextIn(page.ElementID(e)), name) {
			return true
		}
	}
	return false
}
