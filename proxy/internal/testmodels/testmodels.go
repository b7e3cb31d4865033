// Package testmodels makes host models for tests.
package testmodels

import (
	"context"
	"testing"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
)

// New returns models of the default detector in memory. The test closes them when it ends.
func New(t testing.TB) *cache.Models {
	t.Helper()
	return Of(t, detectors.Default)
}

// Of is New for the detector of a name.
func Of(t testing.TB, name string) *cache.Models {
	t.Helper()
	detector, err := detectors.ByName(name, detectors.Options{})
	if err != nil {
		t.Fatal(err)
	}
	models, err := cache.New(t.Context(), cache.Options{Detector: detector, Key: model.NewKey()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := models.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return models
}
