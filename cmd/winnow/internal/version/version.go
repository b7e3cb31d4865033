// Package version says which build of winnow this is.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Number is the module's version if the program was built from a released module. Otherwise it is "development version"
// with the commit, if the build knows it.
func Number() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version"
	}
	return read(info)
}

// read interprets the build information. For a commit without an earlier tag, Go makes up a version v0.0.0-DATE-COMMIT.
func read(info *debug.BuildInfo) string {
	v, dirty := strings.CutSuffix(info.Main.Version, "+dirty")
	if v != "" && v != "(devel)" && !strings.HasPrefix(v, "v0.0.0") {
		return info.Main.Version
	}
	commit := v[strings.LastIndexByte(v, '-')+1:]
	if strings.HasPrefix(commit, "v") || commit == "(devel)" {
		commit = ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	name := "development version"
	if commit != "" {
		name += ", commit " + commit
	}
	if dirty {
		name += ", modified"
	}
	return name
}

// Line is what winnow version prints: the version, the Go version and the platform.
func Line() string {
	return fmt.Sprintf("winnow %s, %s %s/%s", Number(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
