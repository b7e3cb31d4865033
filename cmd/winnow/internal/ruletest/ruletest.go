// Package ruletest runs the tests that the configuration has for its override rules.
package ruletest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/cmd/internal/saved"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/fill"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// Faults cleans the page of a test as the first of its host and returns what is wrong with the result. passed says why
// the page stays as it is, and is empty if it is cleaned.
func Faults(ctx context.Context, d model.Detector, rules *override.Rules, t override.Test) (faults []string, passed string) {
	got, passed, err := text(ctx, d, rules, t)
	if err != nil {
		return []string{err.Error()}, ""
	}
	for _, want := range t.Has {
		if !strings.Contains(got, folded(want)) {
			faults = append(faults, fmt.Sprintf("lacks %q", want))
		}
	}
	for _, unwanted := range t.Lacks {
		if strings.Contains(got, folded(unwanted)) {
			faults = append(faults, fmt.Sprintf("has %q", unwanted))
		}
	}
	return faults, passed
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// text is the text of a cleaned page, and why it passes.
func text(ctx context.Context, d model.Detector, rules *override.Rules, t override.Test) (text, passed string, err error) {
	src, contentType, err := fetch(ctx, t)
	if err != nil {
		return "", "", err
	}
	pg, err := page.Parse(src, contentType)
	if err != nil {
		return "", "", err
	}
	pg = fill.Page(ctx, pg)
	m := rules.Apply(pg, d.New(model.NewKey()).Mark(pg, model.Visit{URL: t.URL, At: time.Now()}))
	if passed = m.Pass; passed != "" {
		m = &page.Marking{Verdicts: make([]page.Verdict, len(pg.Blocks))}
	}
	out, err := write.Page(pg, m, page.ModeText)
	if err != nil {
		return "", "", err
	}
	return folded(string(out.Body)), passed, nil
}

// fetchTimeout bounds the fetch of a page.
const fetchTimeout = 30 * time.Second

// fetch reads the page of a test.
func fetch(ctx context.Context, t override.Test) (src []byte, contentType string, err error) {
	if t.File != "" {
		f, err := os.Open(t.File)
		if err != nil {
			return nil, "", err
		}
		defer f.Close() //nolint:errcheck // it was only read
		src, err = saved.ReadAtMost(f, saved.MaxPage)
		return src, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, res.Body, 1<<16)
		return nil, "", fmt.Errorf("%s: %s", t.URL, res.Status)
	}
	src, err = saved.ReadAtMost(res.Body, saved.MaxPage)
	return src, res.Header.Get("Content-Type"), err
}
