package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fields lists the paths of what JSON has of a type: "sites[].pages[].f1".
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
				continue // an embedded struct's fields come with the struct
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

// Programs read what winnow-eval tasks --json prints: a field that goes or gets another name breaks them.
func TestJSONKeepsItsShape(t *testing.T) {
	under := func(path, names string) (out []string) {
		for _, name := range strings.Fields(names) {
			out = append(out, path+name)
		}
		return out
	}
	figure := "mean spread runs"
	want := slices.Concat([]string{".protocol", ".runs", ".results[].detector"},
		under(".results[].classify.", "pages classes"), under(".results[].classify.plain.", figure),
		under(".results[].classify.confounded.", figure), under(".results[].classify.transfer.", figure),
		under(".results[].cluster.", "pages k"), under(".results[].cluster.f.", figure),
		under(".results[].search.", "pages queries mrr first text_bytes index_bytes"))
	got := fields(reflect.TypeFor[taskReport](), "")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
