package console

import "testing"

func TestDataDir(t *testing.T) {
	for _, tc := range []struct {
		env  Environment
		want string
	}{
		{Environment{"XDG_DATA_HOME": "/data", "HOME": "/home/a"}, "/data/winnow"},
		{Environment{"XDG_DATA_HOME": "relative", "HOME": "/home/a"}, "/home/a/.local/share/winnow"},
		{Environment{"LocalAppData": "/local"}, "/local/winnow"},
		{Environment{}, "winnow-data"},
	} {
		if got := tc.env.DataDir(); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.env, got, tc.want)
		}
	}
}
