package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
)

// countingModels are true models that count the pages that they judge.
type countingModels struct {
	*cache.Models
	marks atomic.Int64
}

func (c *countingModels) Mark(ctx context.Context, host string, p *page.Page, v model.Visit) (*page.Marking, error) {
	c.marks.Add(1)
	return c.Models.Mark(ctx, host, p, v)
}

// recipeRig is a rig with true models, parser and writer.
type recipeRig struct {
	*rig
	models *countingModels
	// body, csp and etag are what the origin answers with, now the time since the test began in nanoseconds.
	body, csp, etag atomic.Value
	now             atomic.Int64
}

func newRecipeRig(t *testing.T, change ...func(*Options)) *recipeRig {
	t.Helper()
	models := testmodels.New(t)
	r := &recipeRig{models: &countingModels{Models: models}}
	r.body.Store(recipePage("river"))
	r.csp.Store("")
	r.etag.Store("")
	set := func(o *Options) {
		o.Models = r.models
		o.Now = func() time.Time { return time.Unix(1e9, r.now.Load()) }
	}
	r.rig = newRig(t, func(w http.ResponseWriter, req *http.Request) {
		if etag := r.etag.Load().(string); etag != "" {
			w.Header().Set("Etag", etag)
			if req.Header.Get("If-None-Match") == etag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if csp := r.csp.Load().(string); csp != "" {
			w.Header().Set("Content-Security-Policy", csp)
		}
		fmt.Fprint(w, r.body.Load())
	}, append([]func(*Options){set}, change...)...)
	r.rw.parse, r.rw.write = page.ParseContext, write.Form.Write
	return r
}

// recipePage is a page with a menu, an article about a subject, and a footer.
func recipePage(subject string) string {
	var b strings.Builder
	b.WriteString("<html><head><title>The " + subject + "</title></head><body><nav class=menu><ul>")
	for _, s := range []string{"Start", "Weather", "Sport", "Contact", "Imprint"} {
		fmt.Fprintf(&b, `<li><a href="/%s">%[1]s</a></li>`, s)
	}
	b.WriteString("</ul></nav><article><h1>The " + subject + "</h1>")
	for i := range 5 {
		fmt.Fprintf(&b, "<p>In chapter %d the %s rises slowly, and those who live beside it carry what they own to higher ground, year after year.</p>", i, subject)
	}
	return b.String() + "</article><footer class=footer><a href=/legal>Terms of use</a> <a href=/privacy>Privacy</a></footer></body></html>"
}

// ask asks for the page and returns what came and whether it was judged for that.
func (r *recipeRig) ask(fields ...string) (a answer, judged bool) {
	r.t.Helper()
	before := r.models.marks.Load()
	a = r.get("/page", fields...)
	if a.err != nil || !strings.HasPrefix(a.Header.Get("Winnow"), "cleaned") {
		r.t.Fatalf("Winnow: %s, %v", a.Header.Get("Winnow"), a.err)
	}
	if err := r.models.Drain(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return a, r.models.marks.Load() > before
}

// settle asks until the page is no longer judged.
func (r *recipeRig) settle(fields ...string) {
	r.t.Helper()
	for range 4 {
		if _, judged := r.ask(fields...); !judged {
			return
		}
	}
	r.t.Fatal("the page is judged whenever it comes")
}

// A page that comes again is not judged again, and comes out as it did.
func TestAPageThatComesAgainIsNotJudgedAgain(t *testing.T) {
	for _, mode := range []string{"remove", "hide", "tag", "auto"} {
		var counted atomic.Int64
		r := newRecipeRig(t, func(o *Options) { o.Metrics.Again = func() { counted.Add(1) } })
		r.settle("Winnow-Mode", mode)
		r.rw.recipes.byPage.Purge()
		fresh, judged := r.ask("Winnow-Mode", mode)
		before := counted.Load()
		again, repeated := r.ask("Winnow-Mode", mode)
		if !judged || repeated {
			t.Fatalf("%s: judged %v without a recipe, %v with it", mode, judged, repeated)
		}
		if n := counted.Load() - before; n != 1 {
			t.Errorf("%s: one page that came again counts as %d", mode, n)
		}
		if string(fresh.body) != string(again.body) || string(fresh.body) == r.body.Load() {
			t.Errorf("%s: judged\n%s\nand by recipe\n%s", mode, fresh.body, again.body)
		}
		for _, field := range []string{"Winnow", "Content-Type", "Content-Length", "Vary"} {
			if fresh.Header.Get(field) != again.Header.Get(field) {
				t.Errorf("%s: %s: %q judged, %q by recipe", mode, field, fresh.Header.Get(field), again.Header.Get(field))
			}
		}
	}
}

// Whatever may change how a page is cleaned has it judged anew.
func TestAPageIsJudgedAnew(t *testing.T) {
	for name, change := range map[string]func(r *recipeRig) (fields []string){
		"other bytes": func(r *recipeRig) []string { r.body.Store(recipePage("delta")); return nil },
		"other policy of styles": func(r *recipeRig) []string {
			r.csp.Store("style-src 'none'")
			return nil
		},
		"another mode":     func(*recipeRig) []string { return []string{"Winnow-Mode", "hide"} },
		"a kind is kept":   func(*recipeRig) []string { return []string{"Winnow-Keep", "nav"} },
		"a kind is gone":   func(*recipeRig) []string { return []string{"Winnow-Drop", "caption"} },
		"it may not learn": func(*recipeRig) []string { return []string{"Authorization", "Basic dTpw"} },
		"time passes": func(r *recipeRig) []string {
			r.now.Add(int64(recipeLife + time.Second))
			return nil
		},
		"the model is forgotten": func(r *recipeRig) []string {
			if err := r.models.Forget(r.t.Context(), r.host()); err != nil {
				r.t.Fatal(err)
			}
			return nil
		},
		"the model has seen more": func(r *recipeRig) []string {
			for i := range 3 {
				p, err := page.Parse([]byte(recipePage(fmt.Sprint("lake", i))), "text/html")
				if err != nil {
					r.t.Fatal(err)
				}
				r.models.Learn(r.host(), p, model.Visit{URL: fmt.Sprint("http://other/", i)})
			}
			if err := r.models.Drain(r.t.Context()); err != nil {
				r.t.Fatal(err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecipeRig(t)
			r.settle()
			fields := change(r)
			if _, judged := r.ask(fields...); !judged {
				t.Error("it was cleaned as before")
			}
		})
	}
}

// host is the host that the models know the origin by.
func (r *recipeRig) host() string {
	r.t.Helper()
	hosts, err := r.models.Hosts(r.t.Context())
	if err != nil || len(hosts) != 1 {
		r.t.Fatalf("hosts %v, %v", hosts, err)
	}
	return hosts[0].Host
}

// Where clients share models, a client that is answered quickly must have read the page itself. And where several have
// to see a page before it is learned, each is counted.
func TestRecipesAreOfOneClient(t *testing.T) {
	models := testmodels.New(t)
	for _, quorum := range []int{1, 2} {
		pl, err := New(Options{Models: models, Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler), Shared: true, Learn: LearnAll, LearnQuorum: quorum})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(client string) *recipeState {
			req, err := http.NewRequestWithContext((&exchange.Exchange{Name: client}).On(t.Context()), http.MethodGet, "http://r.example/", nil)
			if err != nil {
				t.Fatal(err)
			}
			x := pl.Request(req)
			x.work = &work{within: req.Context(), place: &place{pl: pl}, header: http.Header{}, coded: []byte(recipePage("river"))}
			if reason, err := x.run(pl.cleaning); reason != "" {
				t.Fatal(reason, err)
			}
			x.giveBack()
			return x.stateOfRecipe()
		}
		ask("anne")
		anne, ben := ask("anne"), ask("ben")
		if quorum > 1 {
			if anne != nil || ben != nil {
				t.Error("with a quorum, a page is not judged for each client")
			}
			continue
		}
		if pl.recipes.find(anne, time.Now()) == nil || anne.key == ben.key {
			t.Error("one client has no recipe of its own")
		}
	}
}

// A recipe holds no word of its page.
func TestRecipesHoldNoText(t *testing.T) {
	r := newRecipeRig(t)
	for _, mode := range []string{"remove", "hide", "tag", "auto"} {
		r.settle("Winnow-Mode", mode)
	}
	kept := r.rw.recipes.byPage.Values()
	if len(kept) < 4 {
		t.Fatalf("%d recipes", len(kept))
	}
	words := slices.Collect(page.Words("river Start Weather Sport Contact Imprint chapter rises slowly Terms Privacy menu"))
	for _, k := range kept {
		for _, e := range k.edits {
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.Insert, w) }) {
				t.Errorf("a recipe holds %q", e.Insert)
			}
		}
	}
}

// A recipe stands as long as what is known of the page's scripts: one that looks for other parts has it judged anew.
func TestRecipesRestOnScripts(t *testing.T) {
	r := newRecipeRig(t)
	r.body.Store(strings.Replace(recipePage("river"), "</body>", `<script src="/app.js"></script></body>`, 1))
	fields := []string{"Winnow-Mode", "auto"}
	learn := func(code string) { r.rw.scripts.learn("", r.origin.URL+"/app.js", []byte(code), nil) }
	r.settle(fields...)
	for _, step := range []struct {
		name, code string
		anew       bool
	}{
		{"known now", `$("#a")`, true}, {"loaded again", `$("#a")`, false}, {"changed", `$(".menu")`, true},
		{"not known any more", `import("/x.js")`, true},
	} {
		learn(step.code)
		got, judged := r.ask(fields...)
		if judged != step.anew {
			t.Errorf("%s: judged %v", step.name, judged)
		}
		if cut := !strings.Contains(string(got.body), "class=menu"); step.name == "changed" && cut {
			t.Error("the script looks for a part that is cut")
		}
		r.settle(fields...)
	}
}

// A copy that the client has stands no longer than a recipe: a script that looks for other parts by now has the page
// sent anew, whether the origin says that it has not changed, or its content says so.
func TestCopiesRestOnScripts(t *testing.T) {
	browser := []string{"Accept", "text/html", "Sec-Fetch-Dest", "document"}
	for _, mode := range []string{"auto", "remove"} {
		for _, tag := range []string{`"v1"`, ""} {
			if mode == "auto" && tag == "" {
				continue // nothing to tell a copy by
			}
			t.Run(mode+tag, func(t *testing.T) {
				r := newRecipeRig(t)
				r.etag.Store(tag)
				r.body.Store(strings.Replace(recipePage("river"), "</body>", `<script src="/app.js"></script></body>`, 1))
				learn := func(code string) { r.rw.scripts.learn("", r.origin.URL+"/app.js", []byte(code), nil) }
				fields := append([]string{"Winnow-Mode", mode}, browser...)
				learn(`$("#a")`)
				r.settle(fields...)
				first, _ := r.ask(fields...)
				if strings.Contains(string(first.body), "class=menu") {
					t.Fatal("the menu is not cut")
				}
				fields = append(fields, "If-None-Match", first.Header.Get("Etag"))
				if got := r.get("/page", fields...); got.StatusCode != http.StatusNotModified || got.Header.Get("Etag") != first.Header.Get("Etag") {
					t.Fatalf("status %d with the tag %s of a copy with %s", got.StatusCode, got.Header.Get("Etag"), first.Header.Get("Etag"))
				}
				learn(`$(".menu")`)
				if got := r.get("/page", fields...); got.StatusCode != http.StatusOK || !strings.Contains(string(got.body), "class=menu") {
					t.Errorf("status %d: the client keeps a copy without the part that the script looks for", got.StatusCode)
				}
			})
		}
	}
}
