package vocab

// IsShareLink reports whether a link, in lower case, shares a page on a social network.
func IsShareLink(href string) bool {
	// All of them have one of these, and most links have none.
	if !ContainsAny(href, ".com/", ".me", ".ru/", "://send", ".jp", ".us/", ".app/") {
		return false
	}
	return ContainsAny(href, "facebook.com/share", "facebook.com/dialog", "twitter.com/intent", "twitter.com/share", "x.com/intent",
		"x.com/share", "pinterest.com/pin/create", "linkedin.com/share", "linkedin.com/cws", "t.me/share", "telegram.me/share", "wa.me/?",
		"api.whatsapp.com/send", "whatsapp://send", "reddit.com/submit", "vk.com/share", "vkontakte.ru/share", "connect.ok.ru/offer",
		"service.weibo.com/share", "line.me/r/msg", "social-plugins.line.me", "b.hatena.ne.jp", "tumblr.com/share", "getpocket.com/save",
		"news.ycombinator.com/submitlink", "digg.com/submit", "del.icio.us/post", "delicious.com/save", "stumbleupon.com/submit",
		"plus.google.com/share", "bsky.app/intent")
}

// IsAdHost reports whether an address is of a host that serves adverts.
func IsAdHost(src string) bool {
	return ContainsAny(src, "doubleclick.net", "googlesyndication.com", "googleadservices.com", "adservice.google", "amazon-adsystem.com",
		"adnxs.com", "criteo.", "taboola.com", "outbrain.com", "adform.net", "rubiconproject.com", "pubmatic.com", "openx.net", "an.yandex.ru",
		"adfox.ru", "/adserver/", "/adframe", "mgid.com", "media.net", "zedo.com", "adsterra", "propellerads", "i-mobile.co.jp",
		"cpro.baidu.com", "tanx.com", "smartadserver.com")
}
