package reference

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/override"
)

// yamlKeys lists the paths of the keys that YAML has of a type.
func yamlKeys(t reflect.Type, path string) (keys []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key := path + f.Tag.Get("yaml")
		keys = append(keys, "`"+key+"`")
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			keys = append(keys, yamlKeys(f.Type.Elem(), key+"[].")...)
		}
	}
	return keys
}

// The reference has every key of the overrides, and no other.
func TestKeys(t *testing.T) {
	var got []string
	for _, row := range keys() {
		got = append(got, row[0])
	}
	want := yamlKeys(reflect.TypeFor[override.Site](), "overrides.HOST.")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// The code of the proxy names every header field of the reference, and the reference every field of winnow's own.
func TestHeaderFields(t *testing.T) {
	named := map[string]bool{}
	literal := regexp.MustCompile(`"([A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*)"`)
	err := filepath.WalkDir("../../../../proxy", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range literal.FindAllStringSubmatch(string(src), -1) {
			named[strings.ToLower(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	field := regexp.MustCompile("`([A-Za-z-]+)[`:]")
	for _, row := range slices.Concat(requestFields(), responseFields()) {
		for _, m := range field.FindAllStringSubmatch(row[0], -1) {
			name := strings.ToLower(m[1])
			listed = append(listed, name)
			if !named[name] {
				t.Errorf("nothing in package proxy names %s", m[1])
			}
		}
	}
	for name := range named {
		if strings.HasPrefix(name, "winnow-") && !slices.Contains(listed, name) {
			t.Errorf("the reference lacks %s", name)
		}
	}
}
