package metadata_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/pagetest"
)

func metadataOf(t *testing.T, src string) metadata.Metadata {
	t.Helper()
	m := metadata.Of(pagetest.MustParse(t, []byte(src), "text/html; charset=utf-8"), "https://paper.example/2024/03/09/bridges")
	m.URL = ""
	return m
}

func TestMetadata(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want metadata.Metadata
	}{
		"the heading goes before what networks are told": {
			`<title>Ten bridges to see | The Paper</title><meta property="og:title" content="You must see these bridges"><meta property="og:site_name" content="The Paper">
			 <meta property="article:published_time" content="2024-03-08T10:00:00Z"><h1>Ten bridges to see this year</h1><p>Text`,
			metadata.Metadata{Title: "Ten bridges to see this year", Date: "2024-03-08T10:00:00Z", SiteName: "The Paper"},
		},
		"a heading that is the site's name is no title": {
			`<title>Ten bridges to see</title><h1>The Paper</h1><h1>Sports</h1><p>Text`,
			metadata.Metadata{Title: "Ten bridges to see", Date: "2024-03-09"},
		},
		"a site's only heading is no title where title has another": {
			`<title>Ten bridges to see | The Paper</title><meta property="og:site_name" content="The Paper"><h1>The Paper</h1><h2>Ten bridges to see</h2><p>Text`,
			metadata.Metadata{Title: "Ten bridges to see", Date: "2024-03-09", SiteName: "The Paper"},
		},
		"a heading that leads to the front page is no title": {
			`<title>Bridges of the Grey River</title><h1><a href="https://paper.example/">Grey River Paper</a></h1><p>Text`,
			metadata.Metadata{Title: "Bridges of the Grey River", Date: "2024-03-09"},
		},
		"a front page has the name of its site": {
			`<title>The Paper</title><meta property="og:site_name" content="The Paper"><h1><a href="/">The Paper</a></h1><p>Text`,
			metadata.Metadata{Title: "The Paper", Date: "2024-03-09", SiteName: "The Paper"},
		},
		"names keep what separates them": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p class="byline"><span>By</span> <span>Ada Brown</span><span>River Post Dec</span></p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"links to people without a space": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p class="byline"><a href="/x">Ada Brown</a><a href="/y">Max Grey</a></p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown, Max Grey", Date: "2024-03-09"},
		},
		"a link to more stories names their author": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p class="author">By</p><p class="author">More stories by Ada Brown</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"a heading's link to itself is not in the title": {
			`<title>Ten bridges to see</title><h1>Ten bridges to see <a href="#top" title="Permalink">¶</a></h1><p>Text`,
			metadata.Metadata{Title: "Ten bridges to see", Date: "2024-03-09"},
		},
		"a byline and a date in the markup": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p class="byline">By Ada Brown, MD | 5 March 2024</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-05"},
		},
		"a byline and a date in bare text": {
			`<title>Bridges of stone</title><h1>Bridges of stone</h1><p>By Ada Brown and Max Grey</p><p>March 5th, 2024</p><p>By the river stands a bridge.`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown and Max Grey", Date: "2024-03-05"},
		},
		"several authors": {
			`<title>Bridges of stone</title><h1>Bridges of stone</h1><a rel="author" href="/a">Ada Brown</a> and <a rel="author" href="/m">Max Grey</a>
			 <time datetime="2024-03-05T08:00">Tuesday</time><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown, Max Grey", Date: "2024-03-05"},
		},
		"a site that says so is the author, a commenter is not": {
			`<title>Bridges of stone</title><meta property="og:site_name" content="The Paper"><meta name="author" content="the paper"><h1>Bridges of stone</h1>
			 <p>By the river stands a bridge.</p><div class="comments"><span class="author">Eve</span> <time datetime="2025-01-01">x</time></div>`,
			metadata.Metadata{Title: "Bridges of stone", Author: "the paper", SiteName: "The Paper", Date: "2024-03-09"},
		},
		"an account where the page shows a name": {
			`<title>Bridges of stone</title><meta name="author" content="abrown7"><h1>Bridges of stone</h1><p>By Ada Brown</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"an account where the page shows none": {
			`<title>Bridges of stone</title><meta name="author" content="ada brown"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "ada brown", Date: "2024-03-09"},
		},
		"what a system writes where there is no author": {
			`<title>Bridges of stone</title><meta name="author" content="admin"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Date: "2024-03-09"},
		},
		"an office after a name": {
			`<title>Bridges of stone</title><meta name="author" content="Ada Brown Senior Writer"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"a paper that is named like an office": {
			`<title>Bridges of stone</title><meta name="author" content="Stone Town Reporter"><meta property="og:site_name" content="Stone Town Reporter">
			 <h1>Bridges of stone</h1><p class="byline">Ada Brown</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", SiteName: "Stone Town Reporter", Date: "2024-03-09"},
		},
		"digits and parentheses in a name": {
			`<title>Bridges of stone</title><meta name="author" content="Ada (Max) Brown2"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada (Max) Brown2", Date: "2024-03-09"},
		},
		"the site's name after the title is not in it": {
			`<title>Bridges of stone | Paper</title><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", SiteName: "Paper", Date: "2024-03-09"},
		},
		"a date above the heading": {
			`<title>Bridges of stone</title><p>5 March 2024</p><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Date: "2024-03-05"},
		},
		"a person that the graph names elsewhere": {
			`<title>Bridges</title><script type="application/ld+json">{"@graph": [{"@type": "WebPage", "author": "Example Media"},
			 {"@type": "NewsArticle", "headline": "Bridges of stone", "author": {"@id": "#ada"}}, {"@type": ["Person", "Thing"], "@id": "#ada", "name": "Ada Brown"}]}</script><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"the author of a card with labels": {
			`<title>Bridges</title><meta name="author" content="The Paper"><meta property="og:site_name" content="The Paper">
			 <meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="Ada Brown"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", SiteName: "The Paper", Date: "2024-03-09"},
		},
		"a link to a person of the site": {
			`<title>Bridges of stone</title><h1><a href="/">P</a></h1><h2>Bridges of stone</h2><p><a href="/author/ada/">Ada Brown</a> • <a href="/author/?page=2">more bridges</a></p>
			 <p>Text</p><p>Text</p><p>Text</p><p>Text</p><p><a href="/author/eve/">Eve Green</a>`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"names inside a byline": {
			`<title>Bridges</title><h1>Bridges of stone</h1><div class="byline"><span class="author"><a href="#">Ada Brown</a></span> <span>Stone Town Gazette</span></div><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"a byline behind a date": {
			`<title>Bridges of stone</title><h1>Bridges of stone</h1><p>posted on 2024-03-05 14:00 by Ada Brown</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-05"},
		},
		"the account of a question": {
			`<title>Bridges</title><script type="application/ld+json">{"@type": "QAPage", "mainEntity": {"@type": "Question",
			 "author": {"@type": "Person", "name": "ada_b"}}}</script><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "ada_b", Date: "2024-03-09"},
		},
		"a name that begins as a day": {
			`<title>Bridges of stone</title><h1>Bridges of stone</h1><p class="byline">By Sun Wei</p><p>Text of the story.`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Sun Wei", Date: "2024-03-09"},
		},
		"an account with a number": {
			`<title>Bridges</title><h1>Bridges of stone</h1><div itemprop="author" itemscope><a href="/u/1"><img alt=""></a>
			 <a href="/u/1" itemprop="url"><span itemprop="name">mason2024</span></a> <small>1,204 posts</small></div><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "mason2024", Date: "2024-03-09"},
		},
		"a month behind a name": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p class="author">Ada Brown Sat Mar 5, 2024</p><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-05"},
		},
		"a label above a name": {
			`<title>Bridges</title><h1>Bridges of stone</h1><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p><p>Text</p>
			 <div>Written by</div><div>Ada Brown</div><div>Ada builds bridges.</div>`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"a class that ends in author": {
			`<title>Bridges</title><h1>Bridges of stone</h1><div class="post-hero__author">Ada Brown</div><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"a name escaped for HTML in data": {
			`<title>Bridges</title><script type="application/ld+json">{"@type": "BlogPosting", "author": "Ada O&#39;Brown"}</script><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada O'Brown", Date: "2024-03-09"},
		},
		"a citation with the first name last": {
			`<title>Bridges</title><meta name="citation_author" content="Brown, Ada"><h1>Bridges of stone</h1><p>Text`,
			metadata.Metadata{Title: "Bridges of stone", Author: "Ada Brown", Date: "2024-03-09"},
		},
		"hidden text is not asked": {
			`<title>Bridges of stone</title><h1 style="display:none">Buy bridges of stone</h1><h1>Old bridges of stone</h1><p class="byline" style="display:none">By Eve`,
			metadata.Metadata{Title: "Old bridges of stone", Date: "2024-03-09"},
		},
	} {
		if diff := cmp.Diff(c.want, metadataOf(t, c.src)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadDate(t *testing.T) {
	for text, want := range map[string]string{
		"2023-12-22T10:00:00Z":             "2023-12-22",
		"Thu, 21 Dec 2023 09:45:16 PST":    "2023-12-21",
		"Published December 5, 2023":       "2023-12-05",
		"5. März 2024, 10 Uhr":             "2024-03-05",
		"le 1er août 2022":                 "2022-08-01",
		"3 de mayo de 2021":                "2021-05-03",
		"24 января 2012 г.":                "2012-01-24",
		"2012年1月24日":                       "2012-01-24",
		"24.01.2012":                       "2012-01-24",
		"03/04/2023":                       "", // the fourth of March, or the third of April
		"31.02.2023":                       "", // no such day
		"since 2019":                       "",
		"call 2023-55-01":                  "",
		"we walked 12 miles 2019 or later": "",
	} {
		if got := metadata.ReadDate(text); got != want {
			t.Errorf("ReadDate(%q) = %q, want %q", text, got, want)
		}
	}
}

// Inline elements without a space between them separate a name, a date and a counter only by style.
func TestMetadataThatOnlyStyleSeparates(t *testing.T) {
	p, err := page.Parse([]byte(`<title>Bridges</title><h1>Bridges of stone</h1><div><span>By <b>Ada Brown</b></span><span>Mar 05, 2024</span><span>57 shares</span></div><p>Text`), "")
	if err != nil {
		t.Fatal(err)
	}
	if m := metadata.Of(p, ""); m.Author != "Ada Brown" || m.Date != "2024-03-05" {
		t.Errorf("the author is %q, the date %q", m.Author, m.Date)
	}
}

// Texts in the place of names, however long and deep, cost their length. A page of this size takes some 0.1 s; where
// each parenthesis was followed to the end it took minutes.
func TestNamesCostTheirLength(t *testing.T) {
	const size = 1 << 20
	for name, body := range map[string]string{
		"parentheses":          strings.Repeat("A(b) ", size/5),
		"open parentheses":     "A" + strings.Repeat("(", size) + "b) A",
		"below a label":        strings.Repeat("Written by<p>"+strings.Repeat("A(b) ", 800)+"<p>", size/4000),
		"bylines in bylines":   strings.Repeat("<span class=byline>", 400) + strings.Repeat("1 ", size/2),
		"properties":           "<span itemprop=author><i itemprop=name>" + strings.Repeat("A(b) ", size/5) + "</i></span>",
		"bylines without text": strings.Repeat("<span class=byline>", 400) + strings.Repeat("<i class=byline>1</i>", 40_000),
	} {
		t.Run(name, func(t *testing.T) {
			p := pagetest.MustParse(t, []byte("<title>Bridges</title><h1>Bridges of stone</h1><p>"+body), "text/html; charset=utf-8")
			began := time.Now()
			metadata.Of(p, "https://paper.example/")
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
