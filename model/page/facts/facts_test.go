package facts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/facts"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/visibility"
)

// factsOf returns the texts of the blocks with facts of a kind, in lower case. Blocks with "noise" in them are noise.
func factsOf(t *testing.T, source string, kind metadata.FactKind) (texts []string) {
	t.Helper()
	p, err := page.Parse([]byte("<!doctype html><meta charset=utf-8>"+source), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	text := func(b page.BlockID) string { return strings.ToLower(string(p.BlockText(nil, b))) }
	found := facts.Find(facts.Reader{
		Page: p, Unseen: visibility.Unseen(p), Text: text,
		Names: func(e page.ElementID) facts.Names { return facts.NamesOf(p, e) },
		Profile: func(e page.ElementID) bool {
			href, _ := p.Attr(e, "href")
			return facts.LeadsToProfile(strings.ToLower(href))
		},
		Noise: func(b page.BlockID) bool { return strings.Contains(text(b), "noise") },
	})
	for b, k := range found {
		if k == kind {
			texts = append(texts, text(page.BlockID(b)))
		}
	}
	return texts
}

func data(json string) string { return `<script type="application/ld+json">` + json + `</script>` }

// shop is a page of a product with two others below it, each with its price.
func shop(head, offer string) string {
	return `<title>Brass lamp</title>` + head + `<body><nav><a href=/>Home</a></nav><main><h1>Brass lamp</h1>` + offer +
		`<p>A lamp for the desk, made of brass.</p></main><ul>` +
		strings.Repeat(`<li class=card><a href=/o><img src=o.png>Iron lamp</a><p>€ 1.299,00</p></li>`, 3) + `</ul>`
}

func TestDeclaredFacts(t *testing.T) {
	for _, c := range []struct {
		name, source string
		kind         metadata.FactKind
		want         []string
	}{
		{"price in JSON-LD", shop(data(`{"@type":"Product","name":"Brass lamp","offers":[{"@type":"Offer","price":"1299.00","priceCurrency":"EUR"}]}`),
			`<div>Price:</div><div>€ 1.299,00</div>`), metadata.FactPrice, []string{"price:", "€ 1.299,00"}},
		{"price in a graph with a line feed in a text", shop(data("{\"@graph\":[{\"@type\":[\"Product\"],\"description\":\"two\nlines\",\"offers\":{\"lowPrice\":1299}}]}"),
			`<span>1,299 €</span>`), metadata.FactPrice, []string{"1,299 €"}},
		{"price in microdata", shop("", `<div itemscope itemtype="https://schema.org/Product"><b itemprop=price content=1299>1'299.–</b></div>`),
			metadata.FactPrice, []string{"1'299.–"}},
		{"price with other conditions", shop(`<meta property="product:price:amount" content="1299">`, `<p>a1299</p><p>1299 pieces sold</p><p>EUR 1299.00</p>`),
			metadata.FactPrice, []string{"eur 1299.00"}},
		{"price in Open Graph", shop(`<meta property="product:price:amount" content="1299">`, `<p>1 299,00 kr</p>`), metadata.FactPrice, []string{"1 299,00 kr"}},
		{"price in RDFa", shop("", `<div vocab="https://schema.org/" typeof=Product><b property=price>$1,299</b></div>`), metadata.FactPrice, []string{"$1,299"}},
		{"code beside its label", shop(data(`{"@type":"Product","sku":"BL-4711"}`), `<table><tr><th>No.<td>BL-4711</table>`), metadata.FactCode, []string{"no.", "bl-4711"}},
		{"brand", shop(data(`{"@type":"Product","brand":{"@type":"Brand","name":"Northern Lights"}}`), `<p>by Northern Lights</p>`), metadata.FactBrand, []string{"by northern lights"}},
		{"times", `<h1>Pie</h1>` + data(`{"@type":"Recipe","name":"Pie","prepTime":"PT1H30M","totalTime":"PT2H"}`) +
			`<p>Vorbereitung</p><p>1 Std. 30 Min.</p><p>2 hours of rest in the afternoon are what the cook deserves after so much work at the oven</p>`,
			metadata.FactTime, []string{"vorbereitung", "1 std. 30 min."}},
		{"ingredients in cells", `<h1>Pie</h1>` + data(`{"@type":"Recipe","recipeIngredient":["400 g apples","1/2 cup sugar"]}`) +
			`<table><tr><td>400 g<td>apples<tr><td>For the crust<tr><td>1/2 cup<td>sugar</table>`, metadata.FactIngredient,
			[]string{"400 g", "apples", "for the crust", "1/2 cup", "sugar"}},
		{"steps in other markup", `<h1>Pie</h1>` + data(`{"@type":"Recipe","recipeInstructions":[{"@type":"HowToSection","name":"Crust","itemListElement":[{"@type":"HowToStep","text":"Mix <b>flour</b> with cold butter until it looks like sand, then rest."}]}]}`) +
			`<p>1.</p><p>Mix flour with cold butter until it looks like sand; let it rest.</p>`, metadata.FactStep, []string{"mix flour with cold butter until it looks like sand; let it rest."}},
		{"author of a recipe", `<title>Pie</title><h1>Pie</h1><p>Recipe from Ada Brown</p>` + data(`{"@type":"Recipe","name":"Pie","author":{"@type":"Person","name":"Ada Brown"},"recipeYield":"8 large slices"}`) +
			`<p>8 large slices</p>`, metadata.FactAuthor, []string{"recipe from ada brown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := factsOf(t, c.source, c.kind); !slices.Equal(got, c.want) {
				t.Errorf("facts %q, want %q", got, c.want)
			}
		})
	}
}

func TestLabelledFacts(t *testing.T) {
	recipe := `<h1>Pie</h1><p>Serves 4 to 6</p><p>Garzeit: lang</p><ul><li>Prep time</li><li>20 min</li></ul><p>Zubereitung: 1 Std.</p>`
	if got, want := factsOf(t, recipe, metadata.FactTime), []string{"prep time", "20 min", "zubereitung: 1 std."}; !slices.Equal(got, want) {
		t.Errorf("times %q, want %q", got, want)
	}
	if got, want := factsOf(t, recipe, metadata.FactYield), []string{"serves 4 to 6"}; !slices.Equal(got, want) {
		t.Errorf("yields %q, want %q", got, want)
	}
	if got := factsOf(t, `<h1>The long way home</h1><p>Time: 20 minutes ago</p>`, metadata.FactTime); got != nil {
		t.Errorf("times of a page that is no recipe: %q", got)
	}
	product := shop(data(`{"@type":"Product","offers":{"price":"7.50"}}`), `<p>7,50 €</p><p>Marke: Nordlicht</p><p>Artikelnummer: 4711</p><p>Homegrown brand</p><p>Packed safely</p>`)
	if got, want := factsOf(t, product, metadata.FactBrand), []string{"marke: nordlicht"}; !slices.Equal(got, want) {
		t.Errorf("brands %q, want %q", got, want)
	}
	if got, want := factsOf(t, product, metadata.FactCode), []string{"artikelnummer: 4711"}; !slices.Equal(got, want) {
		t.Errorf("codes %q, want %q", got, want)
	}
}

// Names at one place beside posts are names of authors, those in a list of people are not.
func TestWriters(t *testing.T) {
	post := func(name, text string) string {
		return `<tr><td><a class=bigusername href="member.php?u=1">` + name + `</a><br>noise Senior Member</td><td>` + text + `</td></tr>`
	}
	source := `<h1>Which lamp?</h1><div>` + strings.Repeat(`<span class=username>noise online</span>`, 3) + `<ul><li><a href="/members/x">Cora</a><li><a href="/members/y">Dan</a></ul></div><table>` +
		post("Ada", "Which lamp do you use?") + post("Ben", "An old one made of brass.") + post("Ada", "noise") + `</table>`
	want := []string{"ada", "ben", "ada"}
	got := factsOf(t, strings.ReplaceAll(source, "<br>", "<br><br>"), metadata.FactWriter)
	if !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
}
