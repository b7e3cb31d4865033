package conformance

// guideline is one point of the W3C's guidelines for content transformation proxies, in our words, with our answer.
type guideline struct {
	section, asked, answer, how string
	// test is the requirement that demonstrates it, if any.
	test string
}

// Answers to a guideline.
const (
	yes     = "yes"
	partly  = "partly"
	no      = "no"
	without = "does not apply"
)

// GuidelineTests returns the IDs of the requirements that the answers refer to.
func GuidelineTests() []string {
	var ids []string
	for _, g := range guidelines() {
		if g.test != "" {
			ids = append(ids, g.test)
		}
	}
	return ids
}

// guidelines answers the normative points in their order.
func guidelines() []guideline {
	return append(requestGuidelines(), answerGuidelines()...)
}

func requestGuidelines() []guideline {
	return []guideline{
		{"4.1.1", "Leave methods other than GET, HEAD and POST alone.", yes, "Only answers to GET are changed.", "transform-status"},
		{"4.1.2", "Leave a request with no-transform, and what it is answered, alone.", yes, "The request goes on as it came, and so does the answer.", "no-transform-request"},
		{"4.1.3", "Act as if no-transform were said unless the client is certainly a browser.", partly,
			"Requests of scripts and for parts of pages (Sec-Fetch-Dest, X-Requested-With) pass. Scrapers and pipelines are clients that winnow is made for, so that other programs are served as browsers are; `Winnow-Mode: off` is the way out.", ""},
		{"4.1.4", "Say so where stale data are served.", without, "Nothing is served from a cache.", "age"},
		{"4.1.5", "Change no header field but User-Agent and the Accept family, and delete none.", yes,
			"Of those only Accept-Encoding, which is cut down to what can be decoded where the answer may be cleaned. Conditions that carry the proxy's own tags get the origin's.", "fields-negotiation"},
		{"4.1.5.1", "Do not fetch a resource twice to taste it.", yes, "Each request of a client is one request to the origin.", "fail-not-repeated"},
		{"4.1.5.2", "Do not send a POST again with other fields.", yes, "Nothing is sent again.", "fail-not-repeated"},
		{"4.1.5.3", "Assume that users want what the site made for their device; let them choose.", yes,
			"The site is asked with the client's own fields; the mode is chosen per request, per proxy, and per host in the configuration.", "fields-negotiation"},
		{"4.1.5.4", "Fetch included resources with the fields of their page.", yes, "They are the client's own requests, and go on as they are.", "fields-negotiation"},
		{"4.1.5.5", "Copy fields that were changed into X-Device-….", without, "No field that tells of the device is changed.", "fields-negotiation"},
		{"4.1.6", "Name the client's address in X-Forwarded-For.", no, "Who asks is nobody's business beyond the proxy. What a client or a proxy before has put there passes.", ""},
		{"4.1.6.1", "Add a Via field.", yes, "In requests and in answers, under a name that is drawn at random for each message.", "via-request"},
		{"4.1.6.1", "Tell in a comment of Via that content may be transformed.", yes, "Requests that are sent on by the proxy carry the URI `http://www.w3.org/ns/ct`.", "via-transforms"},
	}
}

func answerGuidelines() []guideline {
	return []guideline{
		{"4.2.1", "Let users switch transformation off, each for himself and each site, and remember it.", partly,
			"By request (`Winnow-Mode`), by host in the configuration and by bypass list. A user's choice is not remembered, since the proxy keeps nothing about users; a browser extension or profile can send the field.", ""},
		{"4.2.2", "Leave an answer with no-transform alone.", yes, "Byte for byte, with its coding and validators.", "no-transform-answer"},
		{"4.2.4", "Take pages that say “your browser is not supported” for a 406.", without, "It serves the choice of another User-Agent, and none is chosen.", ""},
		{"4.2.5", "Where Vary names a field that was changed, ask again without the change.", without, "No such field is changed. Vary passes, with what the cleaned page depends on added.", "transform-vary"},
		{"4.2.6", "Follow a link to a version for handhelds.", no, "A page that was not asked for is not fetched; the link passes.", ""},
		{"4.2.7", "Leave WML alone.", yes, "Only text/html and application/xhtml+xml are changed.", "transform-types"},
		{"4.2.8", "Leave pages alone that are made for mobile devices (types, document types, addresses), unless the user asks.", no,
			"They are for taking layouts apart that were made for desktops. Boilerplate is taken out of mobile pages just as well, which is what the user switched the proxy on for; nothing is laid out anew.", ""},
		{"4.2.8", "Obey no-transform in a meta element too.", no, "`http-equiv` Cache-Control is not part of HTML; only the field counts.", ""},
		{"4.2.8.1", "Add Warning: 214 to what was changed.", no, "RFC 9111 §5.5 has withdrawn the field. `Winnow: cleaned; mode=…; removed=…` says it instead, with how much.", "transform-announced"},
		{"4.2.8.1", "Changed content should be valid.", yes, "Whole elements are cut out of the origin's bytes, with their end tags; XHTML stays well-formed where it was.", ""},
		{"4.2.8.1", "Tell the user of the change and offer the original.", partly,
			"The field above tells the client, and `Winnow-Mode: off` brings the original; nothing is written into pages.", "transform-announced"},
		{"4.2.8.2", "Rewrite links only so that the security between sites stays.", without, "No link is rewritten: origins keep their names, and with them cookies and scripts their bounds.", ""},
		{"4.2.8.3", "Where HTTPS is opened, tell users what it means and let them go round it.", yes,
			"It needs a CA that the user installs, with the consequences told at `http://winnow.internal/`; `--bypass` and `--intercept` name hosts to leave alone, and clients that refuse the certificate pass through.", ""},
		{"4.2.8.3", "Tell users of servers' invalid certificates.", yes, "Such a page is not fetched; an error page says which fault it is.", "intercept-certificate"},
		{"5", "Offer a way to test the proxy.", yes, "`winnow demo`, `winnow serve`, and this list as a command.", ""},
	}
}
