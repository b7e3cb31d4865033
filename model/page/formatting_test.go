package page

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseBoundsItsCost(t *testing.T) {
	var open strings.Builder
	for i := range 400 {
		fmt.Fprintf(&open, "<font size=%d>", i)
	}
	_, err := Parse([]byte(open.String()+strings.Repeat("<p>x", 20_000)), "")
	if !errors.Is(err, ErrTooCostly) {
		t.Fatalf("400 open fonts over 100,000 paragraphs: %v, want ErrTooCostly", err)
	}
	var bodies strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&bodies, "<body a%d=1>", i)
	}
	if _, err := Parse([]byte(bodies.String()), ""); !errors.Is(err, ErrTooCostly) {
		t.Fatalf("100,000 body tags: %v, want ErrTooCostly", err)
	}
	for name, src := range map[string]string{
		"closed fonts":        strings.Repeat("<p><font size=2><b>x</b></font>", 8_000),
		"cells without ends":  "<table>" + strings.Repeat("<tr><td>x<td>y", 8_000),
		"fonts open in cells": "<table>" + strings.Repeat("<tr><td><font size=2>x<td>y", 8_000),
		"table after table":   strings.Repeat("<table><tr><td><font size=2>x</table>", 8_000),
		"fonts around tables": strings.Repeat("<font size=1><table><tr><td>x</table></font>", 8_000),
		"one font left open":  "<font size=2>" + strings.Repeat("<p>x", 8_000),
	} {
		if _, err := Parse([]byte(src), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseKeepsNoahsArkClause(t *testing.T) {
	for _, src := range []string{
		"<p><b><b><b><b><b>x<p>y",
		"<p><font size=2>a<p><font size=2>b<p><font size=2>c<p><font size=2>d<p>e",
		"<b><b><b><table><td></b></b></b></td></table><b><b><p>x<p>y",
		"<p><i id=1><i id=2><i id=3><i id=4>x<p>y",
	} {
		sameTree(t, []byte(src))
	}
}

func TestParseIsNotFooledByMarks(t *testing.T) {
	for _, src := range []string{
		"<p wInNoW-aT=5>x", "<p>&#xfdd0;5&#xFDD1;x", "<p>&#0064976;1&#64977;x", "<p>a&#32;&#9;<table>&#32;x", "<table></dt> </",
	} {
		sameTree(t, []byte(src))
	}
}
