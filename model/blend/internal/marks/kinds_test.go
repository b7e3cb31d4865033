package marks

import (
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/blend/internal/viewtest"
	"github.com/winnow-proxy/winnow/model/page"
)

// marked returns a marking in which the elements with the attribute c are content and all others noise.
func marked(t *testing.T, src string) (*page.Page, []page.Mark) {
	t.Helper()
	v := viewtest.ViewOf(t, src)
	return v.Doc, FindMarks(parts.NewOutline(v), viewtest.GoldVerdicts(v), page.None)
}

func TestKinds(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"landmark", `<nav><a href=/a>Start</a> <a href=/b>News</a></nav>`, "nav"},
		{"role of navigation", `<div role=navigation><a href=/a>Start</a></div>`, "nav"},
		{"role of contentinfo", `<div role=contentinfo><p>Printed in Hull</p></div>`, "footer"},
		{"role of complementary", `<div role=complementary><p>Weather: rain</p></div>`, "sidebar"},
		{"role of banner", `<div role=banner class=top><p>The Kettle</p></div>`, "header"},
		{"role of search", `<div role=search><label>Find <input name=x></label></div>`, "search"},
		{"breadcrumbs of schema.org", `<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li><a href=/>Home</a><li>Lamps</ol>`, "nav"},
		{"crumbs by class", `<div class="c-breadcrumb__list"><a href=/>Home</a> › Lamps</div>`, "nav"},
		{"footer", `<footer><a href=/i>Imprint</a> <p>© 2024 The Kettle</p></footer>`, "footer"},
		{"copyright line", `<div class=x1><p>© 1998–2024 The Kettle Press. All rights reserved.</p></div>`, "legal"},
		{"imprint by class", `<div class=impressum><a href=/i>Wer wir sind</a></div>`, "legal"},
		{"sidebar in German", `<div id=seitenleiste><p>Wetter heute</p></div>`, "sidebar"},
		{"advert by id", `<div id=div-gpt-ad-17><p>Buy a kettle</p></div>`, "ad"},
		{"advert in a sidebar", `<aside class="sidebar sidebar-ad"><p>Buy a kettle</p></aside>`, "ad"},
		{"advert by label", `<div class=k9><p>Anzeige</p><a href=//x.example>Kessel ab 9 Euro</a></div>`, "ad"},
		{"advert by label, Russian", `<div class=k9><p>Реклама</p><a href=//x.example>Чайники</a></div>`, "ad"},
		{"advert by label, Japanese", `<div class=k9><p>広告</p><a href=//x.example>やかん特売</a></div>`, "ad"},
		{"sharing by class", `<ul class=social-links><li><a href=/f>Facebook</a><li><a href=/t>Twitter</a></ul>`, "share"},
		{"sharing by address", `<div class=zz><a href="https://www.facebook.com/sharer.php?u=x">Fb</a> <a href="https://twitter.com/intent/tweet?u=x">Tw</a></div>`, "share"},
		{"related by class", `<section class=recommended-posts><h3>More</h3><a href=/1>One</a></section>`, "related"},
		{"related by heading", `<div class=b7><h3>You may also like</h3><a href=/1>A kettle</a><a href=/2>A pot</a></div>`, "related"},
		{"related by heading, Polish", `<div class=b7><h3>Czytaj także</h3><a href=/1>Czajnik</a></div>`, "related"},
		{"related by heading, Chinese", `<div class=b7><h3>相关文章</h3><a href=/1>水壶的历史</a></div>`, "related"},
		{"related by heading, Arabic", `<div dir=rtl class=b7><h3>مواضيع ذات صلة</h3><a href=/1>تاريخ الإبريق</a></div>`, "related"},
		{"comments form", `<div class=box><h3>Say something</h3><form><textarea name=t></textarea><button>Send</button></form></div>`, "comments-form"},
		{"comments form by id", `<div id=respond><h3>Leave a Reply</h3><p>Your address will not be published.</p></div>`, "comments-form"},
		{"search by field", `<div class=w><form><label>Find</label><input type=search name=x><button>Go</button></form></div>`, "search"},
		{"search by name of field", `<table><tr><td><form>Find: <input name=q></form></td></tr></table>`, "search"},
		{"cookies by class", `<div class="cc-window consent-bar"><p>We value your privacy</p></div>`, "cookie"},
		{"cookies by text", `<div class=q><p>This site uses cookies to make your visit better.</p><a href=/ok>Accept</a></div>`, "cookie"},
		{"cookies by text, Russian", `<div class=q><p>Этот сайт использует куки, чтобы вам было удобнее.</p></div>`, "cookie"},
		{"a link to the cookie policy", `<div class=q2><p><a href=/a>About</a></p><p><a href=/c>Cookie policy</a></p><p><a href=/d>Jobs</a></p></div>`, "footer"},
		{"pagination by class", `<div class=pagination><a href=?p=1>1</a> <a href=?p=2>2</a></div>`, "pagination"},
		{"pagination by text", `<div class=zz><a href=?p=0>«</a> <a href=?p=1>1</a> <a href=?p=2>2</a> <a href=?p=3>3</a> <a href=?p=2>Next »</a></div>`, "pagination"},
		{"pagination by text, Japanese", `<div class=zz><a href=?p=0>前へ</a> <a href=?p=1>1</a> <a href=?p=3>3</a> <a href=?p=2>次へ</a></div>`, "pagination"},
		{"contents by class", `<div id=toc><a href=#a>First</a> <a href=#b>Second</a></div>`, "toc"},
		{"contents by heading", `<div class=w><h2>Inhaltsverzeichnis</h2><a href=#a>Anfang</a> <a href=#b>Ende</a></div>`, "toc"},
		{"cards of products", `<div class=x7>` + strings.Repeat(`<div class=y><img src=/k.jpg><p>Copper kettle</p><p>€ 49</p></div>`, 4) + `</div>`, "grid"},
		{"three cards", `<div class=x7>` + strings.Repeat(`<div class=y><img src=/k.jpg><p>Copper kettle</p><p>€ 49</p></div>`, 3) + `</div>`, "footer"},
		{"cards with few words", `<div class=x7>` + strings.Repeat(`<div class=y><img src=/k.jpg><p>Copper kettle</p></div>`, 4) + `</div>`, "footer"},
		{"cards of stories", `<div class=x7>` + strings.Repeat(`<div class=y><img src=/k.jpg><p><a href=/k>The kettle that sang at noon</a></p></div>`, 4) + `</div>`, "grid"},
		{"named by what is around", `<div id=footer><div class=inner><p>Printed in Hull</p></div></div>`, "footer"},
		{"named by what is inside", `<div class=row><div class=breadcrumbs><a href=/>Home</a></div></div>`, "nav"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, marks := marked(t, "<body><p c>The story of the day, told in full.</p>"+c.src)
			if len(marks) != 1 {
				t.Fatalf("%d marks, want one: %+v", len(marks), marks)
			}
			if got := marks[0].Kind.String(); got != c.want {
				t.Errorf("%s is %s, want %s", p.Source[p.Elements[marks[0].Element].Outer.Start:], got, c.want)
			}
		})
	}
}

// In table layouts nothing has a name: the first part is the header, the last the footer, and links between are a menu.
func TestKindsByPlace(t *testing.T) {
	_, marks := marked(t, `<body><table><tr><td colspan=2><b>Hull Kettle Society</b></td></tr>
		<tr><td><a href=a.htm>Members</a><br><br><a href=b.htm>Outings</a><br><br><a href=c.htm>Guest book</a></td><td><p c>The spring outing was wet.</p></td></tr>
		<tr><td colspan=2>Write to the webmaster</td></tr></table>`)
	want := []page.Kind{page.KindHeader, page.KindNav, page.KindFooter}
	if len(marks) != len(want) {
		t.Fatalf("%d marks, want %d", len(marks), len(want))
	}
	for i, m := range marks {
		if m.Kind != want[i] {
			t.Errorf("mark %d is %s, want %s", i, m.Kind, want[i])
		}
	}
}

// The parts that readers may ask for by kind, beside an article whose title is shown.
func TestReadingKinds(t *testing.T) {
	const article = `<p c>In the first week of spring the bell was rung by hand again, and the whole town came to listen to it.</p>`
	for _, c := range []struct{ name, src, want string }{
		{"byline by text", `<div class=x><p>By Ada Brown</p><p>5 March 2024</p></div>` + article, "byline"},
		{"byline by name", `<div class=author><a href=/ada>Ada Brown</a></div>` + article, "byline"},
		{"date", `<div class=meta>5 March 2024, 10:15</div>` + article, "date"},
		{"caption", article + `<figure><figcaption>The bell in its tower</figcaption></figure>`, "caption"},
		{"caption by class", article + `<div><p class="photo-caption">The bell in its tower</p></div>`, "caption"},
		{"comments", article + `<div class="comments"><div class="comment"><p>I heard it across the river.</p></div></div>`, "comments"},
	} {
		src := `<html><head><title>The bell rings again</title></head><body><div c><h1 c>The bell rings again</h1></div>` + c.src
		_, marks := marked(t, src)
		if len(marks) == 0 || marks[0].Kind.String() != c.want {
			t.Errorf("%s: marks %v, want one that is a %s", c.name, marks, c.want)
		}
	}
}
