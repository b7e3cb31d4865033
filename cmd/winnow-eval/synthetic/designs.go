package synthetic

// design describes a site: its template and the selectors of its gold.
type design struct {
	id, genre, language string
	// template is the file below templates/.
	template string
	// name is what the site calls itself.
	name string
	// house is the topic of the template itself, whatever the topic of a page.
	house            string
	content, exclude []string
}

// topics are the classes. Every site has pages of each.
func topics() []string { return []string{"astronomy", "baking", "cycling", "gardening", "sailing"} }

func designs() []design {
	return []design{
		{
			id: "syn-blog", genre: "blog", language: "en", template: "blog.html", name: "The Slow Ledger", house: "baking",
			content: []string{".post", "#comments"},
			exclude: []string{".sharedaddy", ".jp-relatedposts", ".entry-utility", ".author-bio", ".comment-reply-link"},
		},
		{
			id: "syn-docs", genre: "docs", language: "en", template: "docs.html", name: "Almanac", house: "cycling",
			content: []string{".document .body"}, exclude: []string{".headerlink"},
		},
		{
			id: "syn-forum", genre: "forum", language: "en", template: "forum.html", name: "Quay Talk", house: "sailing",
			content: []string{"a.maintitle", ".postbody"},
		},
		{
			id: "syn-magazine", genre: "magazine", language: "en", template: "magazine.html", name: "Halfway", house: "gardening",
			content: []string{".listing", ".feature"}, exclude: []string{".pages", ".more", ".offer"},
		},
		{
			id: "syn-news", genre: "news", language: "en", template: "news.html", name: "The Ford Courier", house: "astronomy",
			content: []string{"article.story"}, exclude: []string{".share", ".read-also", ".ad-slot", "ul.tags"},
		},
		{
			id: "syn-rtl", genre: "news", language: "he", template: "rtl.html", name: "מבט", house: "gardening",
			content: []string{".col-main"}, exclude: []string{".promo", ".social"},
		},
		{
			id: "syn-shop", genre: "shop", language: "en", template: "shop.html", name: "Odds & Spares", house: "cycling",
			content: []string{"#product"}, exclude: []string{".delivery", ".buy"},
		},
		{
			id: "syn-soup", genre: "blog", language: "en", template: "soup.html", name: "Stackwise", house: "astronomy",
			content: []string{".x9z:first-child"}, exclude: []string{".x8h", ".x10", ".x11"},
		},
		{
			id: "syn-tables", genre: "personal", language: "en", template: "tables.html", name: "Nell's Corner", house: "baking",
			content: []string{`td[width="460"]`},
		},
		{
			id: "syn-wiki", genre: "wiki", language: "en", template: "wiki.html", name: "Tidepool", house: "sailing",
			content: []string{"#firstHeading", "#mw-content-text"}, exclude: []string{"#toc", ".mw-editsection", ".stub"},
		},
	}
}
