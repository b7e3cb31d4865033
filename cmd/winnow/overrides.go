package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/overrides"
)

// readOverrides reads the rules for single hosts, strictly: a key that is misspelt must not be ignored in silence.
func readOverrides(n *yaml.Node) (map[string]override.Site, error) {
	b, err := yaml.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("line %d: %s: %w", n.Line, overridesKey, err)
	}
	sites := map[string]override.Site{}
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	if err := d.Decode(&sites); err != nil && !errors.Is(err, io.EOF) {
		// The line numbers of yaml's own message are those of the section.
		return nil, fmt.Errorf("line %d: %s: %s", n.Line, overridesKey, strings.Join(strings.Fields(err.Error()), " "))
	}
	return sites, nil
}

// fromFolder makes the test files of the rules relative to the configuration's folder.
func fromFolder(sites map[string]override.Site, dir string) map[string]override.Site {
	for _, s := range sites {
		for i, t := range s.Test {
			if t.File != "" && !filepath.IsAbs(t.File) {
				s.Test[i].File = filepath.Join(dir, t.File)
			}
		}
	}
	return sites
}

// judge is a host model with the rules for its host.
type judge struct {
	host  model.Host
	rules *override.Rules
}

func (j judge) mark(p *page.Page, v model.Visit) *page.Marking {
	return j.rules.Apply(p, j.host.Mark(p, v))
}

func (j judge) observe(p *page.Page, v model.Visit) {
	if !j.rules.Ignores(p) {
		j.host.Observe(p, v)
	}
}

// overridden are the models of a proxy with the rules for single hosts. It is a proxy.Models.
type overridden struct {
	*cache.Models
	rules *overrides.Set
}

// judge returns a function for proxy.RewriterOptions.Judge: the judge is the program (whose weights may be others in the
// next version), the detector as the flag has it, with settings, and the host's rules.
func (o overridden) judge(program, detector string) func(host string) uint32 {
	return func(host string) uint32 {
		h := fnv.New32a()
		fmt.Fprintf(h, "%q %q %x", program, detector, o.rules.For(host).Fingerprint())
		return h.Sum32()
	}
}

// Mark implements proxy.Models.
func (o overridden) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	m, err := o.Models.Mark(ctx, host, p, v)
	if err != nil {
		return nil, err
	}
	return o.rules.For(host).Apply(p, m), nil
}

// Learn implements proxy.Models. A page that is to be left alone counts as taken.
func (o overridden) Learn(host string, p *page.Page, v model.Visit) bool {
	return o.rules.For(host).Ignores(p) || o.Models.Learn(host, p, v)
}
