package main

import (
	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/reference"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/service"
)

//go:generate sh -c "go run . reference > ../../docs/reference.md"

// referenceCmd prints docs/reference.md. It is for those who work on winnow.
type referenceCmd struct{}

// Run prints the reference.
func (*referenceCmd) Run(p *console.Console, k *kong.Context) error {
	return reference.Write(p.Stdout, reference.Source{Model: k.Model, DataDir: p.Env.DataDir(), Metrics: metrics()})
}

// metrics are all that the admin address of winnow serve can show.
func metrics() []reference.Metric {
	return reference.Metrics(func(r prometheus.Registerer) { service.RegisterMetrics(r, nil) })
}
