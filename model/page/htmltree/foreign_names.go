package htmltree

import "strings"

// The names of svg and math that are not in lower case (HTML §13.2.6.1 and 5), those that x/net/html knows.
const (
	svgTagNames = `altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix
		feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood
		feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
		fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient
		radialGradient textPath`
	svgAttrNames = `attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode
		filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines
		keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits
		numOctaves pathLength patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ
		preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions
		requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles
		surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget xChannelSelector
		yChannelSelector zoomAndPan`
	mathAttrNames = "definitionURL"
)

// adjustments maps names in lower case to the names of a list.
func adjustments(list string) map[string]string {
	m := map[string]string{}
	for _, name := range strings.Fields(list) {
		m[strings.ToLower(name)] = name
	}
	return m
}
