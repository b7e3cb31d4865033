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

// What an inspector says.
const (
	inspecting = "inspecting\n"
	inspected  = "inspected\n"
)

// fatalCode is the exit code of a Go program that can't go on: its stack has grown too large, or it has read what is
// not there.
const fatalCode = 2

// inspect has another process check the file, where Options say how. A cycle of pages makes bbolt recurse until the
// process ends, which recover can't stop. So inspect returns errDamaged (wrapped) where that process could not go on in
// the midst of the check. All else, signals included, is left to the check that follows here.
func inspect(path string, o Options) error {
	if o.Inspector == nil {
		return nil
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return nil //nolint:nilerr // what is wrong shows when the file is opened
	}
	said, err := o.Inspector(filepath.Dir(path)).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == fatalCode && string(said) == inspecting {
		return damaged("a process that checked it could not go on")
	}
	return nil
}

// inspectorStack bounds the recursion of an inspector. Sound files need next to none.
const inspectorStack = 16 << 20

// Inspect is [Check] for the process that Options.Inspector starts: it ends soon where the check never would. It says
// to w, the process's standard output, how far it has come.
func Inspect(dir string, timeout time.Duration, w io.Writer) error {
	debug.SetMaxStack(inspectorStack)
	if _, err := io.WriteString(w, inspecting); err != nil {
		return err
	}
	err := Check(dir, timeout)
	_, werr := io.WriteString(w, inspected)
	return errors.Join(err, werr)
}
