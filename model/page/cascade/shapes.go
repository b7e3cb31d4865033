package cascade

import (
	"math"

	"github.com/tdewolff/parse/v2/css"
)

// clipRect judges clip: rect(top, right, bottom, left).
func clipRect(value []token) Sight {
	if len(value) == 0 || value[0].kind != css.FunctionToken || value[0].text != "rect" {
		return Seen
	}
	inside, _ := brackets(value)
	edges := [4]float64{0, math.Inf(1), math.Inf(1), 0}
	i := 0
	for _, v := range items(inside) {
		switch {
		case v[0].is(","):
			continue
		case i == len(edges):
			return Seen
		case !v[0].isWord("auto"):
			s, ok := sizeOf(v)
			if !ok {
				return Seen
			}
			edges[i] = s.in(16, 16, 0)
		}
		i++
	}
	switch top, right, bottom, left := edges[0], edges[1], edges[2], edges[3]; {
	case i < len(edges):
		return Seen
	case bottom-top <= minBox || right-left <= minBox || bottom <= 0 || right <= 0:
		return Hidden
	case top >= away || left >= away:
		return Unresolved
	}
	return Seen
}

// clipShape judges clip-path. The shapes are computed for a box of 1000 by 1000 pixels.
func clipShape(value []token) Sight {
	const side = 1000
	for _, v := range items(value) {
		if v[0].kind == css.URLToken {
			return Unresolved
		}
		if v[0].kind != css.FunctionToken {
			continue
		}
		inside, _ := brackets(v)
		switch v[0].text {
		case "inset":
			return clipInset(inside, side)
		case "circle", "ellipse":
			return clipEllipse(inside, side)
		case "polygon":
			return clipPolygon(inside, side)
		}
		return Unresolved
	}
	return Seen
}

func clipInset(inside []token, side float64) Sight {
	var edges []float64
	for _, v := range items(inside) {
		if v[0].isWord("round") {
			break
		}
		s, ok := sizeOf(v)
		if !ok || !s.known {
			return Unresolved
		}
		edges = append(edges, s.in(16, 16, side))
	}
	if len(edges) == 0 || len(edges) > 4 {
		return Seen
	}
	at := [][4]int{{0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[len(edges)-1]
	t, r, b, l := edges[at[0]], edges[at[1]], edges[at[2]], edges[at[3]]
	switch {
	case t+b >= side-minBox || l+r >= side-minBox:
		return Hidden
	case t+b >= side*.8 || l+r >= side*.8:
		return Unresolved
	}
	return Seen
}

func clipEllipse(inside []token, side float64) Sight {
	x, y := side/2, side/2
	var radii []float64
	centre := false
	places := 0
	for _, v := range items(inside) {
		s, ok := sizeOf(v)
		px := s.in(16, 16, side)
		switch {
		case v[0].isWord("at"):
			centre = true
			continue
		case !ok && v[0].isWord("left"):
			x = 0
		case !ok && v[0].isWord("right"):
			x = side
		case !ok && v[0].isWord("top"):
			y = 0
		case !ok && v[0].isWord("bottom"):
			y = side
		case !ok:
		case !centre:
			radii = append(radii, px)
		case places == 0:
			x = px
		default:
			y = px
		}
		if centre {
			places++
		}
	}
	for _, r := range radii {
		if r <= minBox {
			return Hidden
		}
	}
	most := side / 2
	for _, r := range radii {
		most = max(most, r)
	}
	if x+most <= minBox || y+most <= minBox || x-most >= side || y-most >= side {
		return Hidden
	}
	if len(radii) > 0 && most < 20 {
		return Unresolved
	}
	return Seen
}

func clipPolygon(inside []token, side float64) Sight {
	var xs, ys []float64
	for _, point := range split(inside, ",") {
		list := items(point)
		if len(list) != 2 {
			continue // evenodd, nonzero
		}
		x, okX := sizeOf(list[0])
		y, okY := sizeOf(list[1])
		if !okX || !okY || !x.known || !y.known {
			return Unresolved
		}
		// What is outside of the box shows nothing.
		xs, ys = append(xs, min(max(x.in(16, 16, side), 0), side)), append(ys, min(max(y.in(16, 16, side), 0), side))
	}
	area := 0.0
	for i := range xs {
		k := (i + 1) % len(xs)
		area += xs[i]*ys[k] - xs[k]*ys[i]
	}
	switch area = math.Abs(area) / 2; {
	case area < 10:
		return Hidden
	case area < side*side*.05:
		return Unresolved
	}
	return Seen
}

// matrix is the part of a transformation that is seen from the front: where the axes of the element go, and how far it
// is moved, in pixels and in percent of its own size.
type matrix struct {
	m                  [3][3]float64
	x, y               float64
	percentX, percentY float64
}

func identity() matrix { return matrix{m: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}} }

// times returns the transformation that applies b first.
func (a matrix) times(b matrix) matrix {
	var r matrix
	for i := range 3 {
		for k := range 3 {
			for n := range 3 {
				r.m[i][k] += a.m[i][n] * b.m[n][k]
			}
		}
	}
	r.x, r.y = a.x+a.m[0][0]*b.x+a.m[0][1]*b.y, a.y+a.m[1][0]*b.x+a.m[1][1]*b.y
	r.percentX, r.percentY = a.percentX+b.percentX, a.percentY+b.percentY
	return r
}

// area is how many times the area of the element is seen.
func (a matrix) area() float64 { return math.Abs(a.m[0][0]*a.m[1][1] - a.m[0][1]*a.m[1][0]) }

// transformOf reads a transform, or a property for one kind of them. ok is false for what is not known here.
func transformOf(id property, value []token, s *style) (m matrix, ok bool) {
	m = identity()
	if k := keyword(value); k != "" {
		return m, true
	}
	switch id {
	case translate:
		return m.function("translate", items(value), s)
	case scale:
		return m.function("scale", items(value), s)
	case rotate:
		list := items(value)
		if len(list) == 2 {
			return m.function("rotate"+keyword(list[0]), list[1:], s)
		}
		if len(list) == 4 {
			return m.function("rotate3d", list, s)
		}
		return m.function("rotate", list, s)
	}
	ok = true
	for _, v := range items(value) {
		if v[0].kind != css.FunctionToken {
			return m, false
		}
		inside, _ := brackets(v)
		var args [][]token
		for _, a := range split(inside, ",") {
			args = append(args, trimmed(a))
		}
		one, known := identity().function(v[0].text, args, s)
		m, ok = m.times(one), ok && known
	}
	return m, ok
}

func (a matrix) function(name string, args [][]token, s *style) (matrix, bool) {
	n := make([]float64, max(len(args), 16))
	percents := make([]float64, len(n))
	known := true
	for i, arg := range args {
		if angle, ok := angleOf(arg); ok && len(arg) == 1 && (arg[0].kind == css.DimensionToken || arg[0].num == 0) {
			n[i] = angle
			continue
		}
		v, ok := sizeOf(arg)
		known = known && ok && v.known
		n[i], percents[i] = v.in(s.font, s.rootFont, 0), v.percent
	}
	factor := func(i int) float64 { return n[i] + percents[i]/100 }
	switch name {
	case "translate", "translate3d":
		a.x, a.y, a.percentX, a.percentY = n[0], n[1], percents[0], percents[1]
	case "translatex":
		a.x, a.percentX = n[0], percents[0]
	case "translatey":
		a.y, a.percentY = n[0], percents[0]
	case "scale", "scale3d":
		a.m[0][0], a.m[1][1] = factor(0), factor(1)
		if len(args) == 1 {
			a.m[1][1] = factor(0)
		}
	case "scalex":
		a.m[0][0] = factor(0)
	case "scaley":
		a.m[1][1] = factor(0)
	case "rotate", "rotatez":
		return turn(0, 0, 1, n[0]), known
	case "rotatex":
		return turn(1, 0, 0, n[0]), known
	case "rotatey":
		return turn(0, 1, 0, n[0]), known
	case "rotate3d":
		return turn(n[0], n[1], n[2], n[3]), known
	case "skew", "skewx", "skewy":
		return a, known && math.Abs(math.Tan(n[0])) < 20 && math.Abs(math.Tan(n[1])) < 20
	case "matrix":
		a.m[0][0], a.m[1][0], a.m[0][1], a.m[1][1], a.x, a.y = n[0], n[1], n[2], n[3], n[4], n[5]
	case "matrix3d":
		for i := range 3 {
			for k := range 3 {
				a.m[k][i] = n[4*i+k]
			}
		}
		a.x, a.y = n[12], n[13]
	case "translatez", "perspective", "scalez":
		known = known && math.Abs(n[0]) < 10000
	default:
		return a, false
	}
	return a, known
}

// turn is a rotation about an axis (CSS Transforms 2 §13).
func turn(x, y, z, angle float64) matrix {
	r := identity()
	length := math.Sqrt(x*x + y*y + z*z)
	if length == 0 {
		return r
	}
	x, y, z = x/length, y/length, z/length
	sin, cos := math.Sin(angle), math.Cos(angle)
	k := 1 - cos
	r.m = [3][3]float64{
		{cos + x*x*k, x*y*k - z*sin, x*z*k + y*sin},
		{y*x*k + z*sin, cos + y*y*k, y*z*k - x*sin},
		{z*x*k - y*sin, z*y*k + x*sin, cos + z*z*k},
	}
	return r
}
