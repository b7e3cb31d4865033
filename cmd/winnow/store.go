package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cache/boltstore"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// storeFlags choose the models that a command works on.
type storeFlags struct {
	Data     string `reload:"restart" default:"${data}" placeholder:"DIR" help:"Folder with the models, the key and the CA (default: ${data})."`
	Detector string `reload:"restart" default:"${detector}" placeholder:"NAME" help:"Detector whose models are meant: ${detectors} (default: ${detector}); winnow eval --help says more of each."`

	// maxStore bounds the store in bytes, 0 for any size.
	maxStore int64
}

// detectorNamed makes the detector that --detector names.
func detectorNamed(name string) (model.Detector, error) {
	d, err := detectors.ByName(name, detectors.Options{})
	if errors.Is(err, detectors.ErrUnknown) {
		return nil, usagef("--detector: %w", err)
	}
	return d, err
}

// openExisting opens the models of a data folder that should be there.
func (f *storeFlags) openExisting(ctx context.Context, p *program) (*cache.Models, error) {
	if _, err := os.Stat(f.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("--data: there is no folder %s: has winnow serve run with this --data?", f.Data)
	}
	return f.open(ctx, p, cache.Options{})
}

// open opens the models, and makes the data folder if need be. Limits and the like are taken from opts.
func (f *storeFlags) open(ctx context.Context, p *program, opts cache.Options) (*cache.Models, error) {
	detector, err := detectorNamed(f.Detector)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(f.Data, 0o700); err != nil {
		return nil, fmt.Errorf("--data: %w", err)
	}
	key, err := cache.InstallationKey(f.Data)
	if err != nil {
		return nil, err
	}
	store, err := f.openStore(p, detector, key)
	if err != nil {
		return nil, err
	}
	opts.Detector, opts.Key, opts.Store, opts.Logger = detector, key, store, p.log
	models, err := cache.New(ctx, opts)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return models, nil
}

func (f *storeFlags) openStore(p *program, detector model.Detector, key model.Key) (*boltstore.Store, error) {
	store, err := boltstore.Open(f.Data, boltstore.Options{Detector: detector.Name(), KeyID: key.ID(), Logger: p.log,
		MaxBytes: f.maxStore, LastSeen: cache.LastSeen})
	if errors.Is(err, boltstore.ErrLocked) {
		return nil, fmt.Errorf("%s is in use: stop the winnow that runs on it, or ask its admin address: %w", f.Data, err)
	}
	return store, err
}

// with opens the models, calls use, and closes them, which saves what changed.
func (f *storeFlags) with(ctx context.Context, p *program, open func(context.Context, *program) (*cache.Models, error),
	use func(*cache.Models) error) error {
	models, err := open(ctx, p)
	if err != nil {
		return err
	}
	// What was changed is saved even when ctx has ended in between.
	return errors.Join(use(models), models.Close(context.WithoutCancel(ctx)))
}
