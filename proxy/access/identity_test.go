package access

import "testing"

func TestClientsHaveNames(t *testing.T) {
	for addr, want := range map[string]string{"10.0.0.1:99": "10.0.0.1", "[::ffff:10.0.0.1]:99": "10.0.0.1",
		"[2001:db8::1:2]:99": "2001:db8::/64"} {
		id := Identity{Client: ClientOf(ParseAddr(addr))}
		if id.String() != want {
			t.Errorf("%s: %s", addr, id.String())
		}
		if id.Name() != want {
			t.Errorf("%s: the name is %s", addr, id.Name())
		}
		if id.User = "ada"; id.String() != "ada@"+want {
			t.Errorf("%s: %s", addr, id.String())
		}
		if id.Name() != "user ada" {
			t.Errorf("%s: a user's name is %s", addr, id.Name())
		}
	}
}
