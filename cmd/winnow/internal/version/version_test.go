package version

import (
	"runtime/debug"
	"testing"
)

func TestNumber(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, tc := range []struct {
		name, module string
		settings     []debug.BuildSetting
		want         string
	}{
		{"a released module", "v1.2.3", nil, "v1.2.3"},
		{"a commit between releases", "v1.2.4-0.20260102030405-0123456789ab", []debug.BuildSetting{commit}, "v1.2.4-0.20260102030405-0123456789ab"},
		{"a checkout", "(devel)", []debug.BuildSetting{commit}, "development version, commit 0123456789ab"},
		{"a changed checkout", "", []debug.BuildSetting{commit, {Key: "vcs.modified", Value: "true"}}, "development version, commit 0123456789ab, modified"},
		{"a commit before any release", "v0.0.0-20260102030405-0123456789ab", nil, "development version, commit 0123456789ab"},
		{"the same with changes", "v0.0.0-20260102030405-0123456789ab+dirty", nil, "development version, commit 0123456789ab, modified"},
		{"a replaced module", "v0.0.0", nil, "development version"},
		{"a copy without a repository", "", nil, "development version"},
	} {
		if got := read(&debug.BuildInfo{Main: debug.Module{Version: tc.module}, Settings: tc.settings}); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
