package cache

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing on Windows")
	}
	for mode, want := range map[os.FileMode]error{
		0o700: nil, 0o500: nil, 0o750: ErrFolderReadable, 0o755: ErrFolderReadable, 0o701: ErrFolderReadable,
		0o770: ErrFolderWritable, 0o777: ErrFolderWritable, 0o702: ErrFolderWritable, 0o777 | os.ModeSticky: ErrFolderWritable,
	} {
		dir := t.TempDir()
		must(t, os.Chmod(dir, mode))
		err := CheckFolder(dir)
		if !errors.Is(err, want) || want != nil && !strings.Contains(err.Error(), "chmod 700 "+dir) {
			t.Errorf("mode %#o: error %v, want %v", mode, err, want)
		}
	}
	if err := CheckFolder(filepath.Join(t.TempDir(), "later")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if err := CheckFolder(file); err == nil {
		t.Error("a file passes for a folder")
	}
}
