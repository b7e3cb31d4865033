// Package cmdtest contains helpers for the tests of several commands.
package cmdtest

import (
	"errors"
	"os/exec"
	"reflect"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Code is a command of test scripts. It runs a command and expects an exit code: code 2 winnow --nonesuch.
func Code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// JSONPaths lists the paths of a value's type in JSON: ".sites[].pages[].f1".
func JSONPaths(v any) []string { return fields(reflect.TypeOf(v), "") }

func fields(t reflect.Type, path string) (out []string) {
	switch t.Kind() {
	case reflect.Pointer:
		return fields(t.Elem(), path)
	case reflect.Slice, reflect.Array:
		return fields(t.Elem(), path+"[]")
	case reflect.Map:
		return fields(t.Elem(), path+"{}")
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if len(f.Index) > 1 || name == "-" {
				continue // the fields of an embedded struct belong to the outer struct
			}
			if f.Anonymous && name == "" {
				out = append(out, fields(f.Type, path)...)
				continue
			}
			out = append(out, fields(f.Type, path+"."+name)...)
		}
		return out
	}
	return []string{path}
}
