package feed

import "net/url"

// Links returns the addresses of the pages that the entries of a feed link to, in the order of the feed, each once.
func Links(body []byte) ([]string, error) {
	doc, err := parse(body, "", &url.URL{})
	if err != nil {
		return nil, err
	}
	var links []string
	seen := map[string]bool{}
	for _, e := range doc.entries {
		if e.link == nil || e.link.Host == "" || seen[e.link.String()] {
			continue
		}
		seen[e.link.String()] = true
		links = append(links, e.link.String())
	}
	return links, nil
}
