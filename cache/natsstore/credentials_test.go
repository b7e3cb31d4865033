package natsstore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// Two users' nkeys, made for this test.
const (
	userSeed   = "SUAKEWLIGLG32HYF4MUTC5T67XMEMF6MOBIHPUMNQLUXDQ6FYHMVFCKRV4"
	userKey    = "UC2F6DZ7DWA565BJMT7MPAXFJ4S3XMRPC5UKR27TEMDGYAMOVG5UMWIF"
	otherSeed  = "SUAFNULGNVL4RBUSV3E7C2P3CU22FLWVSUTW3VUVBZT3E4FTFG5ERXZUCI"
	accountKey = "SAABKMLJYDGGO2GFKJCYHPUUFHZWQCL2L7URVBPLKJJGSF7O3VMF2X5UYU"
)

// credentials writes a file of credentials.
func credentials(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A replica logs in with each kind of credentials that a server without accounts knows, says that wrong ones are
// refused, and gets in once the file has the right ones.
func TestCredentials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, good, bad string
		server          func(*server.Options)
	}{
		{"password", "ada:se:cret\n", "ada:other", func(o *server.Options) { o.Username, o.Password = "ada", "se:cret" }},
		{"token", "t0ken\r\n", "other", func(o *server.Options) { o.Authorization = "t0ken" }},
		{"nkey", userSeed + "\n", otherSeed, func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: userKey}} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := []string{"nats://" + newServer(t, c.server).Addr().String()}
			path := credentials(t, c.bad)
			a := join(t, settings{Options: Options{Servers: at, Credentials: credentials(t, c.good)}})
			b := join(t, settings{Options: Options{Servers: at, Credentials: path}})
			a.learn("a.example", 1)
			await(t, "wrong credentials are refused", func() bool {
				return strings.Contains(strings.ToLower(b.store.Sharing().Error), "authorization violation")
			})
			if c.name != "nkey" { // its public half is fixed at the start
				if err := os.WriteFile(path, []byte(c.good), 0o600); err != nil {
					t.Fatal(err)
				}
				awaitPages(t, "a.example", 1, b)
			}
			awaitPages(t, "a.example", 1, a, join(t, settings{Options: Options{Servers: at, Credentials: credentials(t, c.good)}}))
		})
	}
}

// A file that can't be credentials is refused at the start. No seed is sent to a server as a token.
func TestCredentialsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "ada\nsecret\n", accountKey, userSeed[:57] + "A"} {
		_, err := Open(Options{Servers: []string{"nats://127.0.0.1:1"}, Key: fleetKey(), Detector: "lines", Credentials: credentials(t, text)})
		if err == nil || !strings.Contains(err.Error(), "SU…") {
			t.Errorf("%.10q: %v", text, err)
		}
	}
}

// Where a server has no room for the stream, the error names the setting that says how large it is.
func TestNoRoomForTheStream(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 20 })
	a := join(t, settings{}, s)
	await(t, "the replica says why", func() bool { return strings.Contains(a.store.Sharing().Error, "fleet-size (now 1024 MiB)") })
}
