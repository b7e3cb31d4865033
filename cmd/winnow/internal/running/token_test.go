package running

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTokenIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := Token(dir)
	if err != nil || len(first) < 16 {
		t.Fatalf("%q, %v", first, err)
	}
	again, err := Token(dir)
	if err != nil || again != first {
		t.Errorf("%q became %q, %v", first, again, err)
	}
	file := filepath.Join(dir, tokenFile)
	for _, spoil := range []func() error{
		func() error { return os.Chmod(file, 0o644) },
		func() error { return os.WriteFile(file, []byte("short\n"), 0o600) },
		func() error { return os.WriteFile(file, []byte("two words of a certain length"), 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got, err := Token(dir); err == nil {
			t.Errorf("%q was taken", got)
		}
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
