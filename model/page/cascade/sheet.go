package cascade

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// sheet is what was read from all style sheets of a page.
type sheet struct {
	rules []*rule
	// frames are the declarations of animations, by name, from the first moment to the last.
	frames map[string][]frame
	root   *layer
	// doubtful says that some rule or condition is not decided here, see [matcher.doubts].
	doubtful bool
	// external says that there are style sheets that are not read.
	external bool
	// steps is the work that is left.
	steps *int
}

// rule is one style rule, with the conditions around it resolved.
type rule struct {
	selectors []*selector
	decls     []declaration
	layer     *layer
	order     int
	// doubtful says that a condition around the rule is not decided here. narrow says that one depends on the screen.
	doubtful, narrow bool
	scope            *scope
}

// scope are the elements that a rule in @scope is limited to.
type scope struct {
	root, limit []*selector
	outer       *scope
}

// layer is a cascade layer (CSS Cascade §6.4). What is in it directly comes after the layers in it.
type layer struct {
	named map[string]*layer
	inner []*layer
	rank  int
}

// stepsPerLayer is the work that a layer counts for, with the memory that it takes.
const stepsPerLayer = 64

// child returns the layer with a name in another one, a new one where there is none or the name is empty.
func (s *sheet) child(l *layer, name string) *layer {
	if c := l.named[name]; c != nil {
		return c
	}
	if *s.steps -= stepsPerLayer; *s.steps < 0 {
		return l
	}
	c := &layer{}
	if l.inner = append(l.inner, c); name != "" {
		if l.named == nil {
			l.named = map[string]*layer{}
		}
		l.named[name] = c
	}
	return c
}

// path returns the layer with a name such as base.forms in another one.
func (s *sheet) path(l *layer, name string) *layer {
	for part := range strings.SplitSeq(name, ".") {
		l = s.child(l, part)
	}
	return l
}

// number ranks the layers from the one that yields first.
func (l *layer) number(next int) int {
	for _, c := range l.inner {
		next = c.number(next)
	}
	l.rank = next
	return next + 1
}

// context is where a rule stands.
type context struct {
	layer *layer
	scope *scope
	// around is the rule around, for nesting.
	around           *prelude
	doubtful, narrow bool
	depth            int
}

// prelude is what comes before the block of a rule. Its selectors are read when something in the block needs them: most
// blocks hide nothing.
type prelude struct {
	tokens    []token
	parser    selectorParser
	around    *prelude
	selectors []*selector
	read      bool
}

// list returns the selectors, none if they are not valid.
func (p *prelude) list() []*selector {
	if p == nil {
		return nil
	}
	if !p.read {
		p.read = true
		if p.parser.parent = p.around.list(); p.around == nil || p.parser.parent != nil {
			if list, ok := p.parser.list(trimmed(p.tokens)); ok {
				p.selectors = list
			}
		}
	}
	return p.selectors
}

// reader reads the rules of one style sheet (CSS Syntax §5).
type reader struct {
	sheet *sheet
	z     *tokenizer
	// held is a token that was read too early.
	held    token
	holding bool
	// buf has the values that are being read, those of the innermost block last.
	buf []token
}

// maxDepth bounds blocks in blocks and sheets in sheets.
const maxDepth = 32

func (r *reader) next() (token, bool) {
	if r.holding {
		r.holding = false
		return r.held, true
	}
	*r.sheet.steps--
	if *r.sheet.steps < 0 {
		return token{}, false
	}
	return r.z.next()
}

// read reads a whole style sheet.
func (s *sheet) read(text string, in context) {
	if in.depth > maxDepth {
		return
	}
	r := reader{sheet: s, z: newTokenizer(text)}
	for {
		r.buf = r.buf[:0]
		t, ok := r.next()
		switch {
		case !ok:
			return
		case t.kind == css.WhitespaceToken, t.kind == css.CDOToken, t.kind == css.CDCToken:
		case t.kind == css.AtKeywordToken:
			r.atRule(t.text, in)
		default:
			if prelude, end := r.until(t, "{"); end == '{' {
				r.styleRule(prelude, in)
			}
		}
	}
}

// until collects component values up to one of the stops outside of brackets, which it consumes. It returns which it
// was, 0 for the end. With a } among the stops, it also ends a block. The values are good until the block around them
// goes on.
func (r *reader) until(first token, stops string) (values []token, end byte) {
	var open []byte
	start := len(r.buf)
	for t, ok := first, true; ok; t, ok = r.next() {
		if len(open) == 0 && len(t.text) == 1 && t.kind != css.StringToken && t.kind != css.IdentToken &&
			t.kind != css.HashToken && t.kind != css.URLToken && strings.Contains(stops, t.text) {
			return slices.Clip(r.buf[start:]), t.text[0]
		}
		if c := t.opens(); c != 0 {
			open = append(open, c)
		} else if n := len(open); n > 0 && t.closes() == open[n-1] {
			open = open[:n-1]
		}
		r.buf = append(r.buf, t)
	}
	return slices.Clip(r.buf[start:]), 0
}

// skipBlock reads to the end of a block whose { was read.
func (r *reader) skipBlock() {
	if t, ok := r.next(); ok {
		r.until(t, "}")
	}
}

// styleRule reads the block of a rule with selectors.
func (r *reader) styleRule(tokens []token, in context) {
	if in.depth >= maxDepth {
		r.skipBlock()
		return
	}
	p := selectorParser{sheet: r.sheet, nested: in.around != nil, scoped: in.scope != nil}
	in.around = &prelude{tokens: tokens, parser: p, around: in.around}
	in.depth++
	r.block(in)
}

// block reads declarations and nested rules up to the end of the block, and adds the declarations as a rule.
func (r *reader) block(in context) {
	var decls []declaration
	flush := func() {
		if len(decls) > 0 && in.around.list() != nil {
			r.sheet.add(&rule{selectors: in.around.list(), decls: decls, layer: in.layer, doubtful: in.doubtful, narrow: in.narrow, scope: in.scope})
		}
		decls = nil
	}
	defer flush()
	start := len(r.buf)
	for {
		r.buf = r.buf[:start]
		t, ok := r.next()
		switch {
		case !ok, t.kind == css.RightBraceToken:
			return
		case t.kind == css.WhitespaceToken, t.kind == css.SemicolonToken:
		case t.kind == css.AtKeywordToken:
			if flush(); in.around != nil && in.around.list() == nil {
				r.until(t, "}")
				return
			}
			r.atRule(t.text, in)
		default:
			values, end := r.declarationOrPrelude(t)
			if end == '{' {
				flush()
				r.styleRule(values, in)
				continue
			}
			decls = appendDeclaration(decls, values)
			if end != ';' {
				return
			}
		}
	}
}

// declarationOrPrelude collects what comes before a semicolon or, unless it is a custom property, a block.
func (r *reader) declarationOrPrelude(first token) ([]token, byte) {
	if first.kind == css.IdentToken && strings.HasPrefix(first.text, "--") {
		if second, ok := r.next(); ok {
			r.held, r.holding = second, true
			if second.kind == css.ColonToken || second.kind == css.WhitespaceToken {
				return r.until(first, ";}")
			}
		}
	}
	return r.until(first, ";{}")
}

// atRule reads an at-rule whose name was read.
func (r *reader) atRule(name string, in context) {
	t, ok := r.next()
	if !ok {
		return
	}
	stops := ";{"
	if in.depth > 0 {
		stops = ";{}"
	}
	prelude, end := r.until(t, stops)
	prelude = trimmed(prelude)
	if end != '{' {
		if end == '}' {
			r.held, r.holding = token{kind: css.RightBraceToken, text: "}"}, true
		}
		r.statement(name, prelude, in)
		return
	}
	if in.depth >= maxDepth {
		r.skipBlock()
		return
	}
	in.depth++
	switch name {
	case "media":
		r.conditional(mediaQueries(prelude), true, in)
	case "supports":
		r.conditional(r.sheet.supports(prelude), false, in)
	case "container":
		r.conditional(maybe, true, in)
	case "layer":
		in.layer = r.sheet.path(in.layer, layerName(prelude))
		r.block(in)
	case "scope":
		r.scoped(prelude, in)
	case "keyframes", "-webkit-keyframes":
		r.keyframes(prelude)
	default: // @font-face, @page, @property, @starting-style …: nothing in them says what an element looks like
		r.skipBlock()
	}
}

// statement reads an at-rule without a block.
func (r *reader) statement(name string, prelude []token, in context) {
	switch name {
	case "layer":
		for _, one := range split(prelude, ",") {
			r.sheet.path(in.layer, layerName(trimmed(one)))
		}
	case "import":
		r.imported(prelude, in)
	}
}

// imported reads a style sheet that the page itself has, in a data: address. Others are not loaded.
func (r *reader) imported(prelude []token, in context) {
	if len(prelude) == 0 {
		return
	}
	address, rest := prelude[0].text, prelude[1:]
	if prelude[0].kind == css.FunctionToken && len(prelude) > 1 {
		address, rest = prelude[1].text, prelude[min(3, len(prelude)):]
	}
	rest = trimmed(rest)
	if len(rest) > 0 && rest[0].isWord("layer") {
		in.layer, rest = r.sheet.child(in.layer, ""), trimmed(rest[1:])
	} else if len(rest) > 0 && rest[0].kind == css.FunctionToken && rest[0].text == "layer" {
		inside, after := brackets(rest)
		in.layer, rest = r.sheet.path(in.layer, layerName(trimmed(inside))), trimmed(after)
	}
	if len(rest) > 0 && rest[0].kind == css.FunctionToken && rest[0].text == "supports" {
		_, rest = brackets(rest)
		in.doubtful = true
	}
	if rest = trimmed(rest); len(rest) > 0 {
		var applies bool
		if in, applies = in.under(mediaQueries(rest), true); !applies {
			return
		}
	}
	text, ok := dataText(address)
	if !ok {
		r.sheet.external = true
		return
	}
	in.depth++
	r.sheet.read(text, in)
}

// under returns the context in a block with a condition, and false if nothing in it applies.
func (in context) under(c truth, screen bool) (context, bool) {
	in.doubtful = in.doubtful || c == maybe
	in.narrow = in.narrow || screen
	return in, c != no
}

func (r *reader) conditional(c truth, screen bool, in context) {
	in, applies := in.under(c, screen)
	if !applies {
		r.skipBlock()
		return
	}
	r.block(in)
}

// scoped reads @scope (root) to (limit).
func (r *reader) scoped(prelude []token, in context) {
	sc := &scope{outer: in.scope}
	p := selectorParser{sheet: r.sheet, parent: in.around.list(), forgiving: true}
	if len(prelude) > 0 && prelude[0].kind == css.LeftParenthesisToken {
		inside, after := brackets(prelude)
		sc.root, _ = p.list(trimmed(inside))
		prelude = trimmed(after)
	}
	if len(prelude) > 0 && prelude[0].isWord("to") {
		if prelude = trimmed(prelude[1:]); len(prelude) > 0 && prelude[0].kind == css.LeftParenthesisToken {
			inside, _ := brackets(prelude)
			sc.limit, _ = p.list(trimmed(inside))
		}
	}
	in.scope, in.around = sc, nil
	r.block(in)
}

// frame is one moment of an animation.
type frame struct {
	at    float64
	decls []declaration
}

// keyframes reads the moments of an animation.
func (r *reader) keyframes(prelude []token) {
	name := ""
	if len(prelude) > 0 {
		name = prelude[0].text
	}
	var frames []frame
	start := len(r.buf)
	for {
		r.buf = r.buf[:start]
		t, ok := r.next()
		if !ok || t.kind == css.RightBraceToken {
			break
		}
		moments, end := r.until(t, "{}")
		if end != '{' {
			break
		}
		var decls []declaration
		for end = ';'; end == ';'; {
			var values []token
			if t, ok = r.next(); !ok {
				break
			}
			values, end = r.until(t, ";}")
			decls = appendDeclaration(decls, trimmed(values))
		}
		for _, m := range split(moments, ",") {
			if m = trimmed(m); len(m) == 1 {
				at := m[0].num
				if m[0].isWord("to") {
					at = 100
				}
				frames = append(frames, frame{at, decls})
			}
		}
	}
	r.sheet.frames[name] = frames
}

func (s *sheet) add(r *rule) {
	r.order = len(s.rules)
	s.doubtful = s.doubtful || r.doubtful
	s.rules = append(s.rules, r)
}
