// Package flags has the groups of flags that several commands of winnow share. A group checks its flags and turns them
// into options of the package that they configure. Field tags are kong's.
package flags

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/cache/natsstore"
	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// Store are the flags that select the models of a command.
type Store struct {
	Data     string `reload:"restart" default:"${data}" placeholder:"DIR" short-help:"Folder with the models, the key and the CA." help:"Folder with the models, the key and the CA (default: ${data})."`
	Detector string `reload:"restart" default:"${detector}" placeholder:"NAME" short-help:"Detector that marks pages (see winnow eval --help)." help:"Detector whose models to use: ${detectors} (default: ${detector}); winnow eval --help describes each."`
}

// Detector returns the detector that --detector names.
func Detector(name string) (model.Detector, error) {
	d, err := detectors.ByName(name, detectors.Options{})
	if errors.Is(err, detectors.ErrUnknown) {
		return nil, console.Usagef("--detector: %w", err)
	}
	return d, err
}

// CheckFolder refuses a data folder that other users can write to, since they could replace the key and the CA, and
// warns of one that they can read.
func (f *Store) CheckFolder(ctx context.Context, log *slog.Logger) error {
	err := cache.CheckFolder(f.Data)
	if errors.Is(err, cache.ErrFolderReadable) {
		log.WarnContext(ctx, err.Error())
		return nil
	}
	return Denied(f.Data, err)
}

// Denied says what to do about an error that denies this user the data folder. Other errors stay as they are.
func Denied(dir string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w: run winnow as the user that %s belongs to, or give another --data", err, dir)
}

// OpenExisting opens the models of a data folder that should be there.
func (f *Store) OpenExisting(ctx context.Context, log *slog.Logger) (*cache.Models, error) {
	if _, err := os.Stat(f.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, console.Usagef("--data: the folder %s does not exist: has winnow serve run with this --data?", f.Data)
	}
	return f.OpenOrCreate(ctx, log)
}

// OpenOrCreate opens the models and creates a missing data folder.
func (f *Store) OpenOrCreate(ctx context.Context, log *slog.Logger) (*cache.Models, error) {
	return f.Open(ctx, log, cache.Options{}, 0, Fleet{})
}

// Library is the models of a data folder, in a store or in a running winnow.
type Library interface {
	Hosts(ctx context.Context) ([]cache.HostInfo, error)
	Host(ctx context.Context, host string) (cache.HostInfo, error)
	Export(ctx context.Context, host string) ([]byte, error)
	Forget(ctx context.Context, host string) error
	Close(ctx context.Context) error
}

// OpenLibrary opens the models of an existing data folder. If a winnow runs on it, the library asks that winnow.
func (f *Store) OpenLibrary(ctx context.Context, log *slog.Logger) (Library, error) {
	models, err := f.OpenExisting(ctx, log)
	if errors.Is(err, boltstore.ErrLocked) {
		if client := running.Find(f.Data); client != nil {
			return client, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return models, nil
}

// OpenHost opens the models of an existing data folder to inspect one host. If a winnow runs on the folder, the result
// is a copy with the model of that host only.
func (f *Store) OpenHost(ctx context.Context, log *slog.Logger, host string) (*cache.Models, error) {
	library, err := f.OpenLibrary(ctx, log)
	if err != nil {
		return nil, err
	}
	if models, ok := library.(*cache.Models); ok {
		return models, nil
	}
	b, err := library.Export(ctx, host)
	if err != nil {
		return nil, err
	}
	detector, err := Detector(f.Detector)
	if err != nil {
		return nil, err
	}
	key, err := cache.InstallationKey(f.Data)
	if err != nil {
		return nil, err
	}
	models, err := cache.New(ctx, cache.Options{Detector: detector, Key: key, Logger: log})
	if err != nil {
		return nil, err
	}
	if err := models.Import(ctx, host, b, false); err != nil {
		return nil, errors.Join(err, models.Close(ctx))
	}
	return models, nil
}

// Open opens the models with the limits of opts and creates a missing data folder. maxStore bounds the store in bytes;
// 0 means no bound. If fleet names a server, the models are shared there.
func (f *Store) Open(ctx context.Context, log *slog.Logger, opts cache.Options, maxStore int64, fleet Fleet) (*cache.Models, error) {
	detector, err := Detector(f.Detector)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.Data, 0o700); err != nil {
		return nil, Denied(f.Data, fmt.Errorf("--data: %w", err))
	}
	if err := fleet.giveKey(f.Data); err != nil {
		return nil, err
	}
	key, err := cache.InstallationKey(f.Data)
	if err != nil {
		return nil, Denied(f.Data, err)
	}
	local, err := boltstore.Open(f.Data, boltstore.Options{Detector: detector.Name(), KeyID: key.ID(), Logger: log,
		MaxBytes: maxStore, Inspector: inspector(ctx)})
	if errors.Is(err, boltstore.ErrLocked) {
		return nil, inUse(f.Data, err)
	}
	if err != nil {
		return nil, Denied(f.Data, err)
	}
	var store cache.Store = local
	for _, share := range []func(cache.Store, string, natsstore.Options) (cache.Store, error){
		fleet.share, // door: fleet
	} {
		if store, err = share(local, f.Data, natsstore.Options{Key: key, Detector: detector.Name(), Logger: log}); err != nil {
			return nil, errors.Join(err, local.Close())
		}
	}
	opts.Detector, opts.Key, opts.Store, opts.Logger = detector, key, store, log
	models, err := cache.New(ctx, opts)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return models, nil
}

// selfKey is the context key of the path of this program.
type selfKey struct{}

// WithSelf says that this process is winnow. So it may start itself again to check a store in a separate process.
func WithSelf(ctx context.Context) context.Context {
	self, err := os.Executable()
	if err != nil {
		return ctx // the store is checked in this process
	}
	return context.WithValue(ctx, selfKey{}, self)
}

// inspector returns a function that makes the command for inspecting a store, or nil where that is not possible.
func inspector(ctx context.Context) func(dir string) *exec.Cmd {
	self, ok := ctx.Value(selfKey{}).(string)
	if !ok {
		return nil
	}
	return func(dir string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self, "inspect-store", dir)
		cmd.Args[0] = os.Args[0]
		return cmd
	}
}

// inUse says which winnow has a store open, and what to do.
func inUse(dir string, err error) error {
	at := ""
	if client := running.Find(dir); client != nil {
		if at = client.Page(); at != "" {
			at = "," + at
		}
	}
	return fmt.Errorf("%s is in use: stop the winnow that uses it%s: %w", dir, at, err)
}

// With opens models, calls use, and closes them, which saves what changed.
func With[M interface{ Close(context.Context) error }](ctx context.Context, log *slog.Logger,
	open func(context.Context, *slog.Logger) (M, error), use func(M) error) error {
	models, err := open(ctx, log)
	if err != nil {
		return err
	}
	// Changes are saved even if ctx has ended meanwhile.
	return errors.Join(use(models), models.Close(context.WithoutCancel(ctx)))
}

// SiteName is the name of a host model on the command line, in the form of [hostname.Site].
type SiteName string

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *SiteName) UnmarshalText(text []byte) error {
	site, err := hostname.Site(string(text))
	*n = SiteName(site)
	return err
}
