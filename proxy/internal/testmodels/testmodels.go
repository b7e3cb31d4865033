// Package testmodels makes host models for tests, and limits to clean pages by.
package testmodels

import (
	"context"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/detectors"
	"github.com/winnow-proxy/winnow/proxy/limits"
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

// Patient returns limits by which every page is cleaned, on a busy machine and under the race detector too, where the
// default passes some for the time that they take.
func Patient() limits.Limits {
	return limits.Limits{Clean: time.Minute, Wait: time.Minute, Read: time.Minute}
}
