package parts

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

func TestPageKinds(t *testing.T) {
	prose := "<p c>The harbour woke slowly that morning, and nobody who stood on the wall could have said which of the boats would come back first, or at all, with anything in its nets.</p>"
	many := prose + prose + prose + prose + prose
	items := `<ul c><li><a href=/1>Copper kettle</a><li><a href=/2>Iron kettle</a><li><a href=/3>Tin kettle</a><li><a href=/4>Clay kettle</a><li><a href=/5>Glass kettle</a><li><a href=/6>Small kettle</a></ul>`
	for _, c := range []struct {
		name, src string
		want      page.PageKind
	}{
		{"prose", many, page.PageArticle},
		{"declared article", `<meta property=og:type content=article>` + prose + prose + prose, page.PageArticle},
		{"a front page that calls itself an article", `<meta property=og:type content=article>` + items, page.PageList},
		{"links", items, page.PageList},
		{"declared list", `<script type="application/ld+json">{"@type": "CollectionPage"}</script>` + prose, page.PageList},
		{"declared product", `<div c itemscope itemtype="http://schema.org/Product"><h1>Kettle</h1><p>Holds a litre.</p></div>`, page.PageProduct},
		{"data of a product", `<script type="application/ld+json">[{"@context":"https://schema.org","@type" : "Product"}]</script><p c>Holds a litre.</p>`, page.PageProduct},
		{"something to buy", `<h1 c>Kettle</h1><p c>9,00 €</p><form action=/cart/add><button>Buy</button></form>`, page.PageProduct},
		{"forum program", `<meta name=generator content="Discourse 3.1">` + prose, page.PageForum},
		{"posts of users", `<div c class=post><p class=username>anna</p>` + prose + `<p class=username>berta</p>` + prose + `<p class=username>carla</p>` + prose + `<p class=username>dora</p>` + prose + `</div>`, page.PageForum},
		{"reviews of something to buy", `<form action=/cart/add><button>Buy</button></form>` + items + items + `<div c class=post><p class=username>anna</p>` + prose + `<p class=username>berta</p>` + prose + `<p class=username>carla</p>` + prose + `<p class=username>dora</p>` + prose + `</div>`, page.PageProduct},
		{"where manuals lie", `<link rel=canonical href="https://docs.kettle.example/boil">` + many, page.PageDocumentation},
		{"where threads lie", `<meta property=og:url content="https://kettle.example/viewtopic.php?t=7">` + prose, page.PageForum},
		{"manual program", `<meta name=generator content="Docutils 0.19: https://docutils.sourceforge.io/">` + many, page.PageDocumentation},
		{"listings", `<p c>Call it so, from any goroutine, as often as you like:</p><pre c>kettle.Boil(ctx, kettle.Options{Water: 2, Lid: true, Whistle: false, Name: "copper", Base: 3, Fuel: gas, Limit: 100, Steps: 7, Wait: 9, Log: nil, Retry: true, Pause: 12, Height: 3, Depth: 4, Width: 5, Weight: 6, Colour: red, Handle: wood, Spout: 1, Scale: none, Age: 3})</pre>`, page.PageDocumentation},
		{"a few words", `<p c>Closed on Monday.</p>`, page.PageOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := viewtest.ViewOf(t, c.src)
			if got := NewOutline(v).PageKind(viewtest.GoldVerdicts(v), page.None); got != c.want {
				t.Errorf("the page is %s, want %s", got, c.want)
			}
		})
	}
}
