package browsertest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lighthouseScript prints what Lighthouse says about pages.
//
//go:embed lighthouse.mjs
var lighthouseScript []byte

// CheckAccessibility has Lighthouse rate the accessibility of the pages at URLs, on its phone, in a subtest. That fails
// where a page has less than 100, and skips where the folder that WINNOW_NODE_MODULES names has no Lighthouse.
func CheckAccessibility(t *testing.T, urls ...string) {
	t.Helper()
	t.Run("Lighthouse", func(t *testing.T) { checkAccessibility(t, urls) })
}

func checkAccessibility(t *testing.T, urls []string) {
	t.Helper()
	modules := os.Getenv("WINNOW_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "lighthouse", "package.json")); err != nil {
		t.Skipf("%s: no Lighthouse: %v", t.Name(), err)
	}
	path := chromium(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	rate := exec.CommandContext(ctx, "node", append([]string{"--input-type=module", "-", onlyLoopback}, urls...)...)
	rate.Dir, rate.Stdin = filepath.Dir(modules), bytes.NewReader(lighthouseScript)
	rate.Env = append(os.Environ(), "CHROME_PATH="+path)
	rate.Cancel, rate.WaitDelay = func() error { return rate.Process.Signal(os.Interrupt) }, time.Minute // it ends the browser
	var complaints strings.Builder
	rate.Stderr = &complaints
	out, err := rate.Output()
	if err != nil {
		t.Fatalf("running Lighthouse: %v\n%s", err, &complaints)
	}
	var ratings []rating
	if err := json.Unmarshal(out, &ratings); err != nil || len(ratings) != len(urls) {
		t.Fatalf("Lighthouse rated %d of %d pages: %v\n%s%s", len(ratings), len(urls), err, out, &complaints)
	}
	for _, r := range ratings {
		if r.Score != 1 || r.Audits == 0 {
			t.Errorf("%s: Lighthouse gives %.0f of 100 for accessibility by %d audits: %s", r.URL, 100*r.Score, r.Audits, strings.Join(r.Failed, "; "))
		}
	}
}

// rating is what Lighthouse says about one page.
type rating struct {
	URL string `json:"url"`
	// Score is in [0,1].
	Score float64 `json:"score"`
	// Audits is the number of audits that apply to the page.
	Audits int `json:"audits"`
	// Failed are those that failed, with their elements.
	Failed []string `json:"failed"`
}
