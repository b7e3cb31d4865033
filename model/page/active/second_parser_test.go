//go:build full

package active_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// parse5Live prints, for each document of a JSON array on standard input, the live parts as parse5 reads them with
// scripting on and off.
const parse5Live = `
const { parse } = require("parse5");
const live = (doc) => {
  const found = new Set();
  let scripting = true;
  const add = (what) => found.add((scripting ? "" : "without scripting ") + what);
  const walk = (n) => {
    for (const a of n.attrs || []) {
      const key = (a.prefix ? a.prefix + ":" : "") + a.name;
      if ((/^on./).test(a.name) || (/^[\0-\x20]*javascript:/i).test(a.value.replace(/[\t\n\r]/g, ""))) add(key + "=" + a.value);
    }
    if (["script", "iframe", "object", "embed", "frame"].includes(n.tagName)) {
      const attrs = n.attrs.filter((a) => ["src", "srcdoc", "data", "href"].includes(a.name)).map((a) => " " + a.name + "=" + a.value);
      add(n.tagName + attrs.sort().join("") + (n.tagName === "script" ? " " + n.childNodes.map((c) => c.value).join("") : ""));
    }
    for (const c of n.childNodes || []) walk(c);
  };
  walk(parse(doc));
  scripting = false;
  walk(parse(doc, { scriptingEnabled: false }));
  return [...found];
};
process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(live)));
`

// TestNothingComesToLifeInASecondParser compares outputs with their pages, both as parse5 reads them. That parser has
// other differences from the standard than ours.
func TestNothingComesToLifeInASecondParser(t *testing.T) {
	modules := os.Getenv("WINNOW_NODE_MODULES")
	if _, err := os.Stat(filepath.Join(modules, "parse5")); modules == "" || err != nil {
		t.Skip("parse5 absent: set WINNOW_NODE_MODULES to a node_modules folder that has it")
	}
	docs, names := outputs(t)
	in, err := json.Marshal(docs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "-e", parse5Live)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), "NODE_PATH="+modules), bytes.NewReader(in), os.Stderr
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("parse5: %v", err)
	}
	var live [][]string
	if err := json.Unmarshal(b, &live); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(live); i += 2 {
		known := map[string]bool{}
		for _, what := range live[i] {
			known[what] = true
		}
		for _, what := range live[i+1] {
			if !known[what] {
				t.Errorf("%s: %.200q is live in the output alone:\nsource %.1000q\noutput %.1000q", names[i/2], what, docs[i], docs[i+1])
			}
		}
	}
	t.Logf("%d outputs", len(live)/2)
}

// outputs returns pages, each followed by an output from a random marking: traps, malformed pages and mixtures of their
// parts.
func outputs(t *testing.T) (docs, names []string) {
	draw := pagetest.Xorshift(20)
	add := func(name, src string) {
		p, err := page.Parse([]byte(src), "text/html; charset=utf-8")
		if err != nil {
			return
		}
		for range 20 {
			for _, m := range []*page.Marking{pagetest.MarkNoise(p), pagetest.RandomMarking(p, draw)} {
				if out, _ := write.Page(p, m, page.ModeRemove); out != nil && len(m.Marks) > 0 && !bytes.Equal(out.Body, p.Source) {
					docs, names = append(docs, string(p.Source), string(out.Body)), append(names, name)
				}
			}
		}
	}
	for _, pages := range []map[string]string{traps(), pagetest.Malformed()} {
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			add(name, pages[name])
		}
	}
	parts := trapParts()
	for range 3000 {
		add("mixture", mixture(draw, parts))
	}
	if len(docs) == 0 {
		t.Fatal("no output was made")
	}
	return docs, names
}
