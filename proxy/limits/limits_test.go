package limits

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Every limit has a default that can be read and holds, and what users see of it is complete and has one name.
func TestTable(t *testing.T) {
	l := Default()
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for f, v := range l.fields() {
		if f.Tag.Get("least") != "any" && (f.Tag.Get("default") == "" || v.IsZero()) {
			t.Errorf("%s has no default", f.Name)
		}
		if own := f.Tag.Get("kong") == "-"; own != (f.Tag.Get("name") == "") || own != (f.Tag.Get("help") == "") {
			t.Errorf("%s has half a flag", f.Name)
		}
		for _, key := range []string{"name", "metric"} {
			name := f.Tag.Get(key)
			if name != "" && seen[key+name] {
				t.Errorf("%s: two limits have the %s %s", f.Name, key, name)
			}
			seen[key+name] = true
		}
	}
	if l.HeaderBytes != 128<<10 || l.Body != 16<<20 || l.Total != 24*time.Hour || l.Cleaning < 4 {
		t.Errorf("%+v", l)
	}
}

// What is set stays; a value that makes no sense is named with its flag.
func TestCheckNamesTheLimit(t *testing.T) {
	given := Limits{Body: 1234, ClientRate: -1}
	l := given.WithDefaults(":8080")
	if l.Body != 1234 || l.ClientRate != -1 || l.ClientConnections != 1024 {
		t.Errorf("%+v", l)
	}
	for f, v := range l.fields() {
		if f.Tag.Get("least") == "any" {
			continue
		}
		was := reflect.ValueOf(v.Interface())
		v.Set(reflect.ValueOf(-1).Convert(v.Type()))
		name := f.Tag.Get("name")
		if name == "" {
			name = f.Name
		}
		if err := l.Check(); err == nil || !strings.HasPrefix(err.Error(), "--limit "+name+":") {
			t.Errorf("%s: %v", f.Name, err)
		}
		v.Set(was)
	}
}

// A reload leaves the listener's limits as they are.
func TestKeep(t *testing.T) {
	old, l := Limits{Connections: 1, HeaderBytes: 2, Header: 3, Idle: 4, Stall: 5, Held: 6}, Limits{Stall: 7, Held: 8}
	if l.Keep(old); l != (Limits{Connections: 1, HeaderBytes: 2, Header: 3, Idle: 4, Stall: 7, Held: 8}) {
		t.Errorf("%+v", l)
	}
}

func TestNamed(t *testing.T) {
	l := Limits{Stall: 1500 * time.Millisecond, ClientRate: -1, Body: 7}
	proxy, page := l.Named(""), l.Named("page")
	if rate, ok := proxy["client_rate"]; proxy["stall_seconds"] != 1.5 || rate != 0 || !ok || page["body_bytes"] != 7 {
		t.Errorf("of the proxy %v, of a page %v", proxy, page)
	}
	for name := range page {
		if _, both := proxy[name]; both {
			t.Errorf("%s bounds both", name)
		}
	}
}

func TestSizes(t *testing.T) {
	var k KiB
	var m MiB
	if k.UnmarshalText([]byte("2")) != nil || m.UnmarshalText([]byte("3")) != nil || k != 2048 || m != 3<<20 {
		t.Errorf("%d, %d", k, m)
	}
	for _, text := range []string{"", "x", "1.5", "99999999999999", "1048577"} {
		if err := m.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
}

// Whatever a process may open, some of it is left, and clients and origins get something.
func TestWithinLeavesDescriptors(t *testing.T) {
	for _, descriptors := range []int{16, 256, 1024, 3000, 20000, 1 << 20} {
		l := Default().Within(descriptors)
		if left := descriptors - l.Connections - l.Upstream; left < min(reserved, descriptors/2) || l.Connections < 1 || l.Upstream < 1 {
			t.Errorf("of %d descriptors, %d are left: %d for clients, %d for origins", descriptors, left, l.Connections, l.Upstream)
		}
	}
	if d := Default(); d.Within(1<<20) != d {
		t.Error("limits are lowered without need")
	}
	if Descriptors() < 16 {
		t.Errorf("the process may open %d", Descriptors())
	}
}
