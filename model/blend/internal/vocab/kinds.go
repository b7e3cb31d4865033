package vocab

import (
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
)

// The words by which authors name parts of pages in class names, ids and labels, in the languages of such names: mostly
// English, and German, French, Spanish, Portuguese, Italian, Dutch, Polish and transcribed Russian. The groups of
// names.go are features for the weights and may be vague; these words must be right by themselves.

// KindOfWord returns the kind that a part of a name stands for, KindOther for most words.
func KindOfWord(w string) page.Kind {
	if IsAdWord(w) {
		return page.KindAd
	}
	switch w {
	case "sponsor", "sponsors", "sponsored", "promo", "promos", "promotion", "pub", "leaderboard", "banners":
		return page.KindAd
	case "share", "shares", "sharing", "sharebar", "sharethis", "addthis", "addtoany", "sharedaddy", "social", "socials", "socialmedia",
		"facebook", "twitter", "teilen", "partager", "partage", "compartir", "compartilhar", "condividi", "udostepnij", "podelitsya":
		return page.KindShare
	case "pager", "paginator", "pagenav", "pagenavi", "paging", "postnav", "prevnext", "nextprev", "pages", "blaettern", "stronicowanie":
		return page.KindPagination
	case "toc", "tableofcontents", "localtoc", "inhaltsverzeichnis", "sommaire", "indice", "spistresci", "oglavlenie":
		return page.KindTOC
	case "related", "recommended", "recommendations", "recirc", "similar", "upsell", "upsells", "crosssell", "trending", "popular",
		"mostread", "recent", "latest", "suggested", "aehnliche", "verwandt", "weitere", "similaires", "relacionados", "relacionadas",
		"correlati", "podobne", "pohozhie", "readnext", "readmore", "teasers", "alsolike":
		return page.KindRelated
	case "respond", "commentform", "commentrespond", "disqus", "kommentar", "kommentare", "commentaire", "commentaires", "comentario",
		"comentarios", "commenti", "komentarze", "kommentarii", "leavecomment", "postcomment", "reply":
		return page.KindCommentsForm
	case "search", "searchform", "searchbox", "searchbar", "suche", "recherche", "busqueda", "buscar", "busca", "cerca", "szukaj",
		"poisk", "zoeken":
		return page.KindSearch
	}
	return kindOfVagueWord(w)
}

// IsAdWord has the words that only name adverts, so that even a picture of that name is removed.
func IsAdWord(w string) bool {
	switch w {
	case "ad", "ads", "adv", "adbox", "adslot", "adslots", "adunit", "adsense", "adsbygoogle", "adwrap", "adcontainer", "gpt", "dfp",
		"doubleclick", "taboola", "outbrain", "skyscraper", "werbung", "anzeige", "anzeigen", "reklama", "reklamy", "reclame", "publicite",
		"publicidad", "publicidade", "pubblicita", "anuncio", "anuncios":
		return true
	}
	return strings.HasPrefix(w, "advert")
}

// kindOfVagueWord has words for positions, and beginnings of words.
func kindOfVagueWord(w string) page.Kind {
	switch w {
	case "nav", "navi", "navbar", "topnav", "subnav", "menu", "menus", "mainmenu", "topmenu", "submenu", "hauptmenue", "menubar", "tabs",
		"pathway", "crumbs", "brotkrumen", "ariane", "migas", "okruszki", "menyu", "gnb", "lnb":
		return page.KindNav
	case "legal", "copyright", "copyrights", "colophon", "disclaimer", "imprint", "impressum", "mentions", "rechtliches", "prava":
		return page.KindLegal
	case "footer", "foot", "ft", "fuss", "fusszeile", "pied", "piedpage", "pie", "rodape", "stopka", "podval", "bottom":
		return page.KindFooter
	case "sidebar", "side", "aside", "rail", "leftcol", "rightcol", "widget", "widgets", "gadget", "portlet", "seitenleiste",
		"lateral", "barralateral", "kolumna", "leftbar", "rightbar", "sidecol":
		return page.KindSidebar
	case "header", "hd", "masthead", "logo", "branding", "kopf", "kopfzeile", "entete", "cabecera", "cabecalho", "testata",
		"naglowek", "shapka", "topbar", "sitename", "sitetitle":
		return page.KindHeader
	}
	for _, stem := range [...]struct {
		word string
		kind page.Kind
	}{
		{"cookie", page.KindCookie}, {"consent", page.KindCookie}, {"gdpr", page.KindCookie}, {"rodo", page.KindCookie},
		{"sponsor", page.KindAd}, {"paginat", page.KindPagination}, {"recommend", page.KindRelated},
		{"comment", page.KindCommentsForm}, {"breadcrumb", page.KindNav}, {"navigat", page.KindNav}, {"menu", page.KindNav},
		{"footer", page.KindFooter}, {"sidebar", page.KindSidebar}, {"header", page.KindHeader},
	} {
		if strings.HasPrefix(w, stem.word) {
			return stem.kind
		}
	}
	return page.KindOther
}

// IsAdLabel reports whether a text says that the part beside it was paid for.
func IsAdLabel(text string) bool {
	switch strings.Trim(text, " :·-–—[]()*") {
	case "ad", "ads", "advertisement", "advertisements", "advertising", "advertisment", "sponsored", "sponsored content", "sponsored links",
		"paid content", "anzeige", "werbung", "publicité", "publicidad", "publicidade", "pubblicità", "reklama", "advertentie", "annons",
		"reklam", "mainos", "реклама", "広告", "スポンサーリンク", "pr", "广告", "廣告", "추천광고", "광고", "إعلان", "اعلان", "إعلانات", "פרסומת",
		"διαφήμιση", "hirdetés":
		return true
	}
	return false
}

// BeginsRelated reports whether a heading announces other pages.
func BeginsRelated(text string) bool {
	return hasAnyPrefix(text, "related", "recommended", "more from", "more in", "more on", "more stories", "you may also", "you might also",
		"people also", "popular", "most read", "most popular", "trending", "latest", "recent posts", "recent articles", "read next", "read also",
		"up next", "also on", "similar", "customers also", "ähnliche", "weitere ", "mehr zum", "mehr aus", "das könnte", "meistgelesen",
		"à lire aussi", "lire aussi", "articles similaires", "sur le même", "les plus lus", "artículos relacionados", "noticias relacionadas",
		"relacionad", "te puede interesar", "lo más leído", "leia também", "leia mais", "veja também", "mais lidas", "leggi anche",
		"articoli correlati", "lees ook", "meer over", "czytaj", "zobacz też", "podobne", "najnowsze", "похожие", "читайте также",
		"смотрите также", "популярн", "последние", "еще по теме", "相关", "相關", "推荐", "推薦", "热门", "熱門", "最新", "猜你喜欢", "延伸阅读",
		"関連", "おすすめ", "人気", "最近の", "新着", "あわせて読みたい", "관련", "인기", "최신", "مواضيع ذات صلة", "اقرأ أيض", "مقالات ذات", "الأكثر قراءة",
		"كتבות", "כתבות נוספות", "קראו גם", "קרא עוד", "הנקראות ביותר")
}

// AnnouncesComments reports whether a short text with masked digits is a heading or label of readers' comments.
func AnnouncesComments(text string) bool {
	text = strings.Trim(text, "0 :|()[]·•.,-–—»«\t")
	switch text {
	case "comments", "comment(s", "reader comments", "readers' comments", "user comments", "your comments", "all comments", "latest comments",
		"comments on this article", "kommentare", "leserkommentare", "kommentare zu diesem artikel", "commentaires", "vos commentaires",
		"vos réactions", "comentarios", "tus comentarios", "comentários", "commenti", "i commenti", "reacties", "komentarze", "komentarzy",
		"wasze komentarze", "opinie internautów", "комментарии", "комментариев", "комментария", "комментарии читателей", "коментарі", "σχόλια",
		"τα σχόλιά σας", "yorumlar", "kommentarer", "kommentit", "komentáře", "komentare", "komentari", "hozzászólások", "评论", "评论列表",
		"网友评论", "最新评论", "热门评论", "全部评论", "讀者評論", "網友評論", "評論", "コメント", "댓글", "التعليقات", "تعليقات", "תגובות", "bình luận", "ความคิดเห็น":
		return true
	}
	return false
}

// BeginsTOC reports whether a heading announces a table of contents.
func BeginsTOC(text string) bool {
	switch strings.Trim(text, " :[]") {
	case "contents", "table of contents", "on this page", "in this article", "inhalt", "inhaltsverzeichnis", "sommaire", "table des matières",
		"índice", "indice", "contenido", "contenidos", "spis treści", "содержание", "оглавление", "目录", "目錄", "目次", "목차", "المحتويات",
		"תוכן עניינים", "תוכן העניינים", "inhoud":
		return true
	}
	return false
}

// SpeaksOfCookies reports whether a text is about cookies.
func SpeaksOfCookies(text string) bool {
	return ContainsAny(text, "cookie", "ciastecz", "クッキー", "쿠키", "куки", "файлы cookie", "ملفات تعريف الارتباط", "עוגיות")
}

// IsPageWord reports whether a text leads to the next page or the one before.
func IsPageWord(text string) bool {
	switch strings.Trim(text, " «»‹›<>←→…|[]()") {
	case "", "next", "prev", "previous", "next page", "previous page", "older", "newer", "older posts", "newer posts", "first", "last", "page",
		"weiter", "zurück", "vor", "nächste", "vorherige", "seite", "suivant", "suivante", "précédent", "précédente", "siguiente", "anterior",
		"próximo", "próxima", "successivo", "precedente", "następna", "poprzednia", "volgende", "vorige", "след", "след.", "пред", "пред.",
		"следующая", "предыдущая", "вперёд", "назад", "下一页", "上一页", "下一頁", "上一頁", "末页", "首页", "次へ", "前へ", "次のページ", "前のページ",
		"다음", "이전", "التالي", "السابق", "הבא", "הקודם":
		return true
	}
	return false
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// ContainsAny reports whether s contains one of the texts.
func ContainsAny(s string, subs ...string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}
