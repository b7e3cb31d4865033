package metadata

import (
	"slices"
	"strings"

	"github.com/winnow-proxy/winnow/model/page/address"
)

// cutSite cuts the name of the site from the end of a title: the declared name, or words that are the host's name
// ("The Daily Paper" of thedailypaper.example). It returns the title as it is, and no name, where neither stands there.
func cutSite(title, site, url string) (rest, name string) {
	for _, sep := range []string{" | ", " - ", " – ", " — ", " · ", " :: ", " » ", " • "} {
		at := strings.LastIndex(title, sep)
		if at <= 0 {
			continue
		}
		if last := strings.TrimSpace(title[at+len(sep):]); isSameName(last, site) || isHostName(last, url) {
			return strings.TrimSpace(title[:at]), last
		}
	}
	return title, ""
}

// isHostName reports whether the words of a name, written together, are a label of the host of an address.
func isHostName(name, url string) bool {
	const shortest = 4
	u := address.Absolute(url)
	joined := strings.Join(titleWordsOf(name), "")
	return u != nil && len(joined) >= shortest && slices.Contains(strings.Split(strings.ToLower(u.Hostname()), "."), joined)
}
