//go:build !full

package phone

// someEngines is the pattern of the engines that are looked at.
const someEngines = "[s]*.tmpl"
