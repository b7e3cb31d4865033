package access

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// hashed is a hash of password that takes little time.
func hashed(t testing.TB, password string) string {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(h)
}

func TestParseUsers(t *testing.T) {
	hash := hashed(t, "secret")
	users, err := ParseUsers(strings.NewReader("# people\n\nada:" + hash + "\r\njörg of the hill:" + strings.Replace(hash, "$2a$", "$2y$", 1) + "\n"))
	if err != nil || len(users.hashes) != 2 || users.hashes["jörg of the hill"] == nil {
		t.Fatalf("got %v, %v", users, err)
	}
	costly := strings.Replace(hash, "$04$", "$17$", 1)
	for name, tc := range map[string]struct{ text, want string }{
		"no colon":     {"ada", `line 1: want "name:hash"`},
		"no name":      {":" + hash, "line 1: a user's name has"},
		"twice":        {"ada:" + hash + "\nada:" + hash, "line 2: user ada is listed twice"},
		"plain text":   {"\nada:secret", "line 2: the hash of user ada is not bcrypt's"},
		"MD5":          {"ada:$apr1$abcdefgh$0123456789012345678901", "not bcrypt's"},
		"too costly":   {"ada:" + costly, "has cost 17"},
		"control":      {"a\x01da:" + hash, "control characters"},
		"not UTF-8":    {"a\xffda:" + hash, "control characters"},
		"too large":    {strings.Repeat("# filler filler filler\n", 1<<16), "larger than"},
		"endless line": {strings.Repeat("x", 1<<17), "too long"},
		"a long name":  {strings.Repeat("x", 256) + ":" + hash, "1 to 255 bytes"},
	} {
		if _, err := ParseUsers(strings.NewReader(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadUsersRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	line := "ada:" + hashed(t, "secret") + "\n"
	for name, tc := range map[string]struct{ path, want string }{
		"missing":     {filepath.Join(dir, "nowhere"), "no such file"},
		"world":       {write("world", line, 0o644), "chmod 600"},
		"empty":       {write("empty", "# nobody\n", 0o600), "winnow passwd add"},
		"broken line": {write("broken", "ada\n", 0o600), "broken: line 1"},
	} {
		if _, err := LoadUsers(tc.path); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadUsers(write("group", line, 0o640)); err != nil {
		t.Errorf("a file for a group: %v", err)
	}
}

func TestEditingAPasswordFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	check := func(step string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	check("first user", setPassword(path, "ada", "one", bcrypt.MinCost))
	check("second user", setPassword(path, "charles", "two", bcrypt.MinCost))
	check("new password", setPassword(path, "ada", "three", bcrypt.MinCost))
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	users, err := LoadUsers(path)
	check("load", err)
	if bcrypt.CompareHashAndPassword(users.hashes["ada"], []byte("three")) != nil ||
		bcrypt.CompareHashAndPassword(users.hashes["charles"], []byte("two")) != nil {
		t.Error("a password is not what was set")
	}
	check("remove", RemoveUser(path, "ada"))
	if err := RemoveUser(path, "ada"); !errors.Is(err, ErrNoUser) {
		t.Errorf("removing nobody: %v", err)
	}
	text, err := os.ReadFile(path)
	check("read", err)
	if !bytes.HasPrefix(text, []byte("charles:$2a$")) || bytes.Count(text, []byte("\n")) != 1 {
		t.Errorf("the file is now %q", text)
	}
	for name, err := range map[string]error{
		"no password": SetPassword(path, "eve", ""), "a colon": SetPassword(path, "e:ve", "x"),
		"a comment": SetPassword(path, "#eve", "x"), "too long": SetPassword(path, "eve", strings.Repeat("x", 73)),
	} {
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// A file that is not a password file stays unchanged.
func TestEditingLeavesForeignFilesAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(path, []byte("milk, bread\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := setPassword(path, "ada", "x", bcrypt.MinCost); err == nil {
		t.Error("a file of notes was taken for one of passwords")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "milk, bread\n" {
		t.Errorf("it is now %q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".passwd*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func FuzzParseUsers(f *testing.F) {
	f.Add([]byte("ada:$2a$04$rJjtyHfoVFEyZnQFEqaZDOGpDqcT.oGAH2BPj6n3vvEIhaB3U0uN6\n"))
	f.Add([]byte("# x\n\r\n:\nada:$2y$99$"))
	f.Fuzz(func(t *testing.T, text []byte) {
		users, err := ParseUsers(bytes.NewReader(text))
		if err != nil {
			return
		}
		for name, hash := range users.hashes {
			if CheckName(name) != nil {
				t.Fatalf("name %q", name)
			}
			if cost, err := bcrypt.Cost(hash); err != nil || cost > maxCost {
				t.Fatalf("hash %q: %d, %v", hash, cost, err)
			}
		}
	})
}
