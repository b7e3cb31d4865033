package flags

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/natsstore"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
)

// Fleet are the flags of models that several winnows share. The zero value shares nothing.
type Fleet struct {
	URL         string `reload:"restart" name:"store" placeholder:"URL" short-help:"Share models with other winnows by NATS JetStream." help:"Share what is learned with other winnows through NATS JetStream at nats://HOST:PORT, or tls:// to require TLS; list the servers of a cluster separated by commas. A name after the last, as in nats://HOST:PORT/NAME, tells fleets apart that share a server (default: winnow). Models stay in --data too."`
	Key         string `key:"" hidden:"" reload:"restart" name:"fleet-key" placeholder:"FILE" help:"File with the key that all winnows of a fleet need, such as the file key in the data folder of the first. A new data folder gets this key. It is never sent."`
	Credentials string `key:"" hidden:"" reload:"restart" name:"store-credentials" placeholder:"FILE" help:"Credentials of a NATS user for --store: a .creds file, the seed of an nkey, NAME:PASSWORD or a token."`
	CA          string `key:"" hidden:"" reload:"restart" name:"store-ca" placeholder:"FILE" help:"Certificates in PEM to trust for --store instead of the system's."`
	Cert        string `key:"" hidden:"" reload:"restart" name:"store-cert" placeholder:"FILE" help:"Certificate in PEM to show to --store, with store-cert-key."`
	CertKey     string `key:"" hidden:"" reload:"restart" name:"store-cert-key" placeholder:"FILE" help:"Key of store-cert in PEM."`
	Size        int64  `key:"" hidden:"" reload:"restart" name:"fleet-size" default:"1024" placeholder:"MIB" help:"Size in MiB of what a fleet shares, if this winnow is the first; what was learned longest ago is removed first (default: ${default})."`
}

// stateFile is the file in the data folder with what was not sent yet.
const stateFile = "fleet.state"

// Check checks the flags.
func (f Fleet) Check() error {
	if f.URL == "" {
		if f.Key != "" || f.Credentials != "" || f.CA != "" || f.Cert != "" || f.CertKey != "" {
			return console.Usagef("fleet-key and the flags of --store need --store, which is not set")
		}
		return nil
	}
	if f.Size < 1 || f.Size > Largest {
		return console.Usagef("fleet-size: %d MiB is not possible: give 1 to %d", f.Size, int64(Largest))
	}
	_, err := f.options()
	return err
}

// giveKey gives a new data folder the key of the fleet.
func (f Fleet) giveKey(dir string) error {
	if f.Key == "" {
		return nil
	}
	err := cache.CopyKey(f.Key, dir)
	if errors.Is(err, cache.ErrOtherKey) {
		return console.Usagef("fleet-key: %w: its models can't be shared with this fleet. Give another --data", err)
	}
	if err != nil {
		return console.Usagef("fleet-key: %w", err)
	}
	return nil
}

// share returns a store that shares the models of local, or local itself.
func (f Fleet) share(local cache.Store, dir string, o natsstore.Options) (cache.Store, error) {
	if f.URL == "" {
		return local, nil
	}
	conn, err := f.options()
	if err != nil {
		return nil, err
	}
	conn.Local, conn.Key, conn.Detector, conn.Logger = local, o.Key, o.Detector, o.Logger
	conn.State = filepath.Join(dir, stateFile)
	store, err := natsstore.Open(conn)
	if errors.Is(err, natsstore.ErrOptions) {
		return nil, console.Usagef("--store: %w", err)
	}
	return store, err
}

// Look connects to the server, looks for the fleet's stream and describes it. It creates nothing.
func (f Fleet) Look(ctx context.Context, dir string) (string, error) {
	o, err := f.options()
	if err == nil && cache.HasKey(dir) {
		o.Key, err = cache.InstallationKey(dir)
	}
	if err != nil {
		return "", err
	}
	return natsstore.Look(ctx, o)
}

// options are the options that follow from the flags.
func (f Fleet) options() (o natsstore.Options, err error) {
	if o.Servers, o.Stream, err = parseServers(f.URL); err != nil {
		return o, err
	}
	o.Credentials, o.StreamBytes = f.Credentials, f.Size<<20
	if f.Credentials != "" {
		if _, err := os.Stat(f.Credentials); err != nil {
			return o, console.Usagef("store-credentials: %w", err)
		}
	}
	o.TLS, err = f.tls()
	return o, err
}

// parseServers reads the value of --store: servers separated by commas, and the name of the stream after the last.
func parseServers(list string) (servers []string, stream string, err error) {
	for one := range strings.SplitSeq(list, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.RawQuery != "" || u.Fragment != "" {
			return nil, "", console.Usagef("--store: %q is not an address like nats://HOST:PORT or tls://HOST:PORT/NAME", one)
		}
		if u.User != nil {
			return nil, "", console.Usagef("--store: everybody on this machine can read names and passwords in an address: use store-credentials")
		}
		if stream != "" {
			return nil, "", console.Usagef("--store: the name of the fleet, %s, belongs after the last server", stream)
		}
		stream = strings.Trim(u.Path, "/")
		servers = append(servers, u.Scheme+"://"+u.Host)
	}
	return servers, stream, nil
}

// tls is the configuration that the files give, nil without any.
func (f Fleet) tls() (*tls.Config, error) {
	if f.CA == "" && f.Cert == "" && f.CertKey == "" {
		return nil, nil //nolint:nilnil // nil is the default
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, console.Usagef("store-ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, console.Usagef("store-ca: there is no certificate in PEM in %s", f.CA)
		}
	}
	if f.Cert != "" || f.CertKey != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.CertKey)
		if err != nil {
			return nil, console.Usagef("store-cert and store-cert-key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
