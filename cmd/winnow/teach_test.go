package main

import (
	"testing"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Where other machines can connect, only those whom the operator has named may teach for everybody.
func TestWhoMayTeach(t *testing.T) {
	anybody, ada, bob := access.Identity{}, access.Identity{User: "ada"}, access.Identity{User: "bob"}
	for _, tc := range []struct {
		listen         string
		teach          []string
		any, ada, bobs bool
	}{
		{"127.0.0.1:8080", []string{"auto"}, true, true, true},
		{":8080", []string{"auto"}, false, false, false},
		{":8080", []string{"all"}, true, true, true},
		{"127.0.0.1:8080", []string{"off"}, false, false, false},
		{":8080", []string{"ada"}, false, true, false},
		{"127.0.0.1:8080", []string{"ada", "bob"}, false, true, true},
	} {
		may := (&serveCmd{Listen: tc.listen, Teach: tc.teach}).mayTeach()
		if may == nil {
			may = func(access.Identity) bool { return false }
		}
		if may(anybody) != tc.any || may(ada) != tc.ada || may(bob) != tc.bobs {
			t.Errorf("%s teach %v: %v, %v, %v", tc.listen, tc.teach, may(anybody), may(ada), may(bob))
		}
	}
}
