package cascade

import "strings"

// The bounds beyond which a text is off the screen: probably, and certainly.
const (
	away, farAway = 200, 900
	farDown       = 3000
)

// The bounds below which nothing can be read: opacity, sizes of boxes and of letters in pixels.
const (
	minOpacity = .1
	minBox     = 2
	minFont    = 2
	smallFont  = 4
)

// judgment collects what hides an element.
type judgment struct {
	*style
	won    *winners
	parent *style
}

// judge decides what people see of the element and of the text in it.
func (s *style) judge(won *winners, parent *style, external bool) {
	j := judgment{s, won, parent}
	j.shown()
	j.boxes()
	j.offsets()
	j.shapes()
	j.effects()
	j.textPlace()
	j.colors(external)
}

// hide hides the box because of a property. What depends on the screen is unresolved. So is a page that is hidden as a
// whole: it waits for something that shows it as a whole, unless what is shown is not in it, such as html::before.
func (j judgment) hide(id property, how Sight) {
	if j.page && (id == display || id == opacity || id == contentVisibility) {
		how = min(how, Unresolved)
	}
	j.box = max(j.box, j.because(id, how))
}

// because returns how a property hides, and notes by what means.
func (j judgment) because(id property, how Sight) Sight {
	if how == Hidden {
		switch id {
		case opacity:
			j.by = max(j.by, Fading)
		case display, visibility, contentVisibility, height, maxHeight:
			j.by = max(j.by, Switch)
		default:
			j.by = Looks
		}
	}
	if j.won[id].narrow {
		return min(how, Unresolved)
	}
	return how
}

func (j judgment) word(id property) string { return keyword(j.won[id].value) }

// size returns the value of a property in pixels, where 100 % are base. ok is false for one that is not set or a word.
func (j judgment) size(id property, base float64) (px float64, s size, ok bool) {
	if !j.won[id].set {
		return 0, s, false
	}
	s, ok = sizeOf(j.won[id].value)
	return s.in(j.font, j.rootFont, base), s, ok
}

// px is a size in pixels, 0 where there is none.
func (j judgment) px(id property) float64 {
	px, _, _ := j.size(id, screenWidth)
	return px
}

// shown judges the properties that hide by a word.
func (j judgment) shown() {
	switch j.display {
	case "none", "table-column", "table-column-group":
		j.hide(display, Hidden)
	case "grid", "inline-grid":
		if rows := items(j.won[gridTemplateRows].value); len(rows) > 0 {
			j.noBasis = isZeroFraction(rows[0])
		}
	}
	if j.word(contentVisibility) == "hidden" {
		j.hide(contentVisibility, Hidden)
	}
	if j.won[content].set && hasPicture(j.won[content].value) {
		j.hide(content, Hidden)
	}
	if path := j.word(offsetPath); j.won[offsetPath].set && path != "none" && path != "auto" && path != "initial" && path != "unset" {
		j.hide(offsetPath, Unresolved)
	}
	if z, _, ok := j.size(zIndex, 0); ok && z < 0 && j.parent.solid {
		j.hide(zIndex, Unresolved)
	}
}

// isZeroFraction reports whether a track of a grid has no height unless its content needs it.
func isZeroFraction(v []token) bool {
	return len(v) == 1 && v[0].num == 0 && (v[0].text == "fr" || v[0].text == "px" || v[0].text == "")
}

// cuts reports whether the element cuts what overflows it, across and down.
func (j judgment) cuts() (x, y bool) {
	is := func(word string) bool {
		return word == "hidden" || word == "scroll" || word == "auto" || word == "overlay"
	}
	h, v := j.word(overflowX), j.word(overflowY)
	contain := layerName(j.won[contain].value)
	painted := strings.Contains(contain, "paint") || strings.Contains(contain, "content") || strings.Contains(contain, "strict")
	either := is(h) || is(v) || painted
	return either || h == "clip", either || v == "clip"
}

// boxes judges sizes: a box without height or width that cuts what overflows it.
func (j judgment) boxes() {
	x, y := j.cuts()
	if y {
		j.noSize(height, maxHeight, minHeight, paddingTop, paddingBottom)
		if j.line > 0 && j.line <= minBox {
			j.hide(lineHeight, Hidden)
		}
	}
	if x {
		j.noSize(width, maxWidth, minWidth, paddingLeft, paddingRight)
	}
	if x || y {
		if basis, _, ok := j.size(flexBasis, screenWidth); ok && basis <= minBox && j.px(flexGrow) == 0 && j.won[flexGrow].set && strings.Contains(j.parent.display, "flex") {
			j.hide(flexBasis, Unresolved)
		}
		if j.parent.noBasis && j.px(minHeight) <= minBox {
			j.box = max(j.box, Unresolved)
		}
		if h, _, ok := j.size(height, 0); (!ok || h <= minBox) && hasSizeContainment(layerName(j.won[contain].value)) {
			j.hide(contain, Unresolved)
		}
		j.clips = true
		if h, s, ok := j.size(height, 0); ok && s.percent == 0 {
			j.clipHeight = h
		} else if h, s, ok = j.size(maxHeight, 0); ok && s.percent == 0 {
			j.clipHeight = h
		}
		if w, s, ok := j.size(width, 0); ok && s.percent == 0 {
			j.clipWidth = w
		}
	}
	if j.clipHeight > 0 && j.line >= 2*j.clipHeight {
		j.box = max(j.box, Unresolved)
	}
}

func hasSizeContainment(contain string) bool {
	return strings.Contains(contain, "strict") || contain == "size" || strings.Contains(contain, "size") && !strings.Contains(contain, "inline-size")
}

func (j judgment) noSize(whole, most, least, before, after property) {
	if j.px(least) > minBox || j.px(before)+j.px(after) > minBox {
		return
	}
	for _, id := range [...]property{whole, most} {
		if px, s, ok := j.size(id, 0); ok && s.known && s.percent == 0 && px <= minBox {
			j.hide(id, Hidden)
		} else if ok && (!s.known || s.percent < 1 && px <= minBox) {
			j.hide(id, Unresolved)
		}
	}
}

// offsets judges where the element lies.
func (j judgment) offsets() {
	switch pos := j.word(position); pos {
	case "absolute", "fixed", "relative":
		j.leaves(left, 1, screenWidth, pos)
		j.leaves(top, 1, farDown, pos)
		j.leaves(right, -1, screenWidth, pos)
		j.leaves(bottom, -1, farDown, pos)
	}
	j.margin(marginLeft, paddingLeft, screenWidth)
	j.margin(marginTop, paddingTop, farDown)
	if px := j.px(marginRight); px <= -farAway {
		j.hide(marginRight, Unresolved)
	}
	if px := j.px(verticalAlign); px >= away || px <= -away {
		j.hide(verticalAlign, Unresolved)
	}
	if h := j.parent.clipHeight; h > 0 && (j.px(marginTop) >= h || j.px(top) >= h || j.px(paddingTop) >= h) {
		j.box = max(j.box, Unresolved)
	}
	if w := j.parent.clipWidth; w > 0 && (j.px(marginLeft) >= w || j.px(left) >= w || j.px(paddingLeft) >= w) {
		j.box = max(j.box, Unresolved)
	}
}

// leaves judges an offset from an edge. towards is 1 for the edge where the page begins.
func (j judgment) leaves(id property, towards, most float64, pos string) {
	px, s, ok := j.size(id, screenWidth)
	switch {
	case !ok:
	case !s.known:
		j.hide(id, Unresolved)
	case px <= -farAway && s.percent == 0, towards < 0 && px >= farAway+most && s.percent == 0:
		j.hide(id, Hidden)
	case px <= -away, px >= most && s.percent == 0, s.percent >= 100 && (pos == "fixed" || j.parent.clips):
		j.hide(id, Unresolved)
	}
}

// margin judges a margin with the padding inside, which often makes up for it.
func (j judgment) margin(id, inside property, most float64) {
	px, s, _ := j.size(id, screenWidth)
	px += j.px(inside)
	switch {
	case px <= -farAway && s.percent == 0:
		j.hide(id, Hidden)
	case px <= -away, px >= most && (id == marginLeft || j.parent.clips || px >= 2*most):
		j.hide(id, Unresolved)
	}
}

// shapes judges what cuts and moves the element as a picture.
func (j judgment) shapes() {
	if pos := j.word(position); (pos == "absolute" || pos == "fixed") && j.won[clip].set {
		j.hide(clip, clipRect(j.won[clip].value))
	}
	if j.won[clipPath].set {
		j.hide(clipPath, clipShape(j.won[clipPath].value))
	}
	m := identity()
	for _, id := range [...]property{translate, rotate, scale, transform} {
		if w := &j.won[id]; w.set {
			one, ok := transformOf(id, w.value, j.style)
			if !ok {
				j.hide(id, Unresolved)
			}
			m = m.times(one)
		}
	}
	area := m.area()
	switch {
	case area < 1e-4:
		j.hideByAny(Hidden, scale, rotate, transform)
	case (m.x <= -farAway && m.percentX == 0 || m.y <= -farAway && m.percentY == 0) && !strings.Contains(j.display, "flex"):
		j.hideByAny(Hidden, translate, transform) // a row of slides is moved to another one
	case m.x <= -away || m.y <= -away || m.x >= screenWidth || m.y >= farDown,
		m.percentX <= -100 || m.percentX >= 100 || m.percentY <= -100 || m.percentY >= 100,
		j.parent.clipHeight > 0 && m.y >= j.parent.clipHeight, j.parent.clipWidth > 0 && m.x >= j.parent.clipWidth:
		j.hideByAny(Unresolved, translate, transform)
	}
	j.scale *= min(area, 1e6)
	if z, s, ok := j.size(zoom, 1); ok && s.known {
		j.scale *= z * z
	}
}

// hideByAny hides because of the first property that is set.
func (j judgment) hideByAny(how Sight, ids ...property) {
	for _, id := range ids {
		if j.won[id].set {
			j.hide(id, how)
			return
		}
	}
}

// effects judges transparency, filters and masks.
func (j judgment) effects() {
	if n, s, ok := j.size(opacity, 1); ok {
		all := j.opacity * min(max(n, 0), 1)
		switch {
		case !s.known:
			j.hide(opacity, Unresolved)
			all = j.opacity
		case all < minOpacity:
			j.hide(opacity, Hidden)
		}
		if !j.page || all >= minOpacity {
			j.opacity = all
		}
	}
	for _, f := range items(j.won[filter].value) {
		j.hide(filter, filtered(f))
	}
	if w := &j.won[maskImage]; w.set && hasPicture(w.value) {
		stops, unseen := stopsOf(w.value, j.dark), 0
		for _, c := range stops {
			if c.known && c.a < minOpacity {
				unseen++
			}
		}
		switch {
		case len(stops) == 0:
			j.hide(maskImage, Unresolved)
		case unseen == len(stops):
			j.hide(maskImage, Hidden)
		}
	}
}

// filtered judges one function of filter.
func filtered(f []token) Sight {
	if f[0].opens() == 0 {
		if f[0].text == "url" || len(f) == 1 && f[0].num == 0 && len(f[0].text) > len("initial") {
			return Unresolved
		}
		return Seen
	}
	inside, _ := brackets(f)
	s, ok := sizeOf(inside)
	n := s.in(16, 16, 1)
	switch name := f[0].text; {
	case name == "opacity" && ok && n < minOpacity:
		return Hidden
	case name == "blur" && n >= 5, name == "brightness" && ok && (n < .1 || n >= 4), name == "contrast" && ok && n < .1, name == "url":
		return Unresolved
	}
	return Seen
}

// textPlace judges the text by its size and place.
func (j judgment) textPlace() {
	hide := func(id property, how Sight) { j.text = max(j.text, j.because(id, how)) }
	if !j.visible {
		hide(visibility, Hidden)
	}
	size := j.font
	if j.scale < 1 {
		size *= j.scale
	}
	switch {
	case size < minFont:
		hide(fontSize, Hidden)
	case size < smallFont:
		hide(fontSize, Unresolved)
	}
	if n, s, ok := j.sizeOf(fontSizeAdjust); ok && (n < .05 || !s.known) {
		hide(fontSizeAdjust, Hidden)
	}
	if j.letter <= -j.font/2 && j.letter < 0 || j.secured {
		hide(letterSpacing, Unresolved)
	}
	indent := j.indent.in(j.font, j.rootFont, 0) + j.px(paddingLeft)
	switch {
	case indent <= -farAway, j.indent.percent >= 100 && j.clips, j.clipWidth > 0 && indent >= j.clipWidth:
		hide(textIndent, Hidden)
	case indent <= -away || indent >= screenWidth || j.indent.percent <= -100 || !j.indent.known:
		hide(textIndent, Unresolved)
	}
}

// sizeOf reads the last value of a list as a size.
func (j judgment) sizeOf(id property) (float64, size, bool) {
	list := items(j.won[id].value)
	if len(list) == 0 {
		return 0, size{}, false
	}
	s, ok := sizeOf(list[len(list)-1])
	return s.number, s, ok
}

// colors judges the text by its colour on its background.
func (j judgment) colors(external bool) {
	ink := j.letters()
	clipped := strings.Contains(layerName(j.won[backgroundClip].value), "text")
	how := Seen
	switch {
	case !ink.known, !j.ground.known:
		how = Unresolved
	case clipped && ink.a < .5:
		how = j.throughLetters()
	case ink.a < minOpacity:
		how = Hidden
	case ink.isLike(j.ground):
		how = Hidden
		if j.pictured || external && !j.grounded {
			how = Unresolved
		}
	}
	painted := j.won[textShadow].set && j.word(textShadow) != "none" || j.won[textStroke].set
	if painted && how == Hidden {
		how = Unresolved
	}
	if j.won[backgroundColor].narrow {
		how = min(how, Unresolved)
	}
	j.text = max(j.text, j.because(textColor, how))
}

// throughLetters judges a text that shows its background through the letters.
func (j judgment) throughLetters() Sight {
	stops := stopsOf(j.won[backgroundImage].value, j.dark)
	if c, ok := colorOf(j.won[backgroundColor].value, j.dark); ok && c.a > 0 {
		stops = append(stops, c)
	}
	for _, c := range stops {
		if c.known && c.a >= minOpacity && !c.isLike(j.ground) {
			return Seen
		}
	}
	if len(stops) > 0 {
		return Hidden
	}
	return Unresolved
}
