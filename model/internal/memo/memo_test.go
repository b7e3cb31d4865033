package memo

import (
	"strconv"
	"sync"
	"testing"
)

// A table returns for a string what was recorded for it last, or nothing, however full it is and whoever else uses it.
func TestTable(t *testing.T) {
	table := New[string](1 << 10)
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			for i := range 5000 {
				s := strconv.Itoa(i * (user + 1))
				key := table.Key(s, 7)
				if key != table.BytesKey([]byte(s), 7) || key == table.Key(s, 8) {
					t.Errorf("keys of %q: %x", s, key)
				}
				if v, ok := table.Get(key); ok && v != s {
					t.Errorf("%q has %q", s, v)
				}
				table.Put(key, s)
			}
		})
	}
	users.Wait()
	slots := 0
	for i := range table.shards {
		slots += len(table.shards[i].slots)
	}
	if slots != 1<<10 {
		t.Errorf("%d slots", slots)
	}
	key := table.Key("again", 0)
	table.Put(key, "1")
	table.Put(key, "2")
	if v, ok := table.Get(key); !ok || v != "2" {
		t.Errorf("%q, %t", v, ok)
	}
}

// What fits is remembered.
func TestTableRemembers(t *testing.T) {
	const strings = 1 << 12
	table := New[int](strings)
	for i := range strings {
		table.Put(table.Key(strconv.Itoa(i), 0), i)
	}
	kept := 0
	for i := range strings {
		if v, ok := table.Get(table.Key(strconv.Itoa(i), 0)); ok && v == i {
			kept++
		}
	}
	if kept < strings/2 {
		t.Errorf("%d of %d", kept, strings)
	}
}
