package boltstore

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"time"
)

// The lines that an inspector prints.
const (
	inspecting = "inspecting\n"
	inspected  = "inspected\n"
)

// fatalCode is the exit code of a Go program after a fatal error, such as a stack overflow or a memory fault.
const fatalCode = 2

// inspect lets another process check the file, if the options have an inspector. If that process finds the file sound,
// inspect returns what the file was before, and this process need not check it again: the check reads most of the file,
// and what a process has read of a mapped file counts as its memory.
//
// A cycle of pages makes bbolt recurse until the process ends, which recover can't stop. So inspect returns errDamaged
// (wrapped) when a fatal error ended that process during the check. It ignores all other outcomes, including signals,
// because this process then checks the file itself.
func inspect(path string, o Options) (sound os.FileInfo, err error) {
	if o.Inspector == nil {
		return nil, nil
	}
	before, err := os.Stat(path)
	if err != nil || before.Size() == 0 {
		return nil, nil //nolint:nilerr // what is wrong shows when the file is opened
	}
	said, err := o.Inspector(filepath.Dir(path)).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == fatalCode && string(said) == inspecting {
		return nil, damaged("a process that checked it ended with a fatal error")
	}
	if err != nil || string(said) != inspecting+inspected {
		return nil, nil //nolint:nilerr // what is wrong shows when this process checks the file
	}
	return before, nil
}

// unchanged reports whether the open file is still what it was before; before may be nil.
func (f *file) unchanged(before os.FileInfo) bool {
	now, err := f.disk.Stat()
	return err == nil && before != nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// inspectorStack bounds the recursion of an inspector. Sound files need very little.
const inspectorStack = 16 << 20

// Inspect is [Check] for the process that Options.Inspector starts. It bounds the stack, so that it fails soon where
// Check would recurse very deep. It writes its progress to w, which is the process's standard output.
func Inspect(dir string, timeout time.Duration, w io.Writer) error {
	debug.SetMaxStack(inspectorStack)
	if _, err := io.WriteString(w, inspecting); err != nil {
		return err
	}
	err := Check(dir, timeout)
	_, werr := io.WriteString(w, inspected)
	return errors.Join(err, werr)
}
