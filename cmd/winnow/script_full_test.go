//go:build full

package main

import "testing"

// TestFullScripts runs the scripts that need other servers than winnow.
func TestFullScripts(t *testing.T) { runScripts(t, "testdata/script/full") }
