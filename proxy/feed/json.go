package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// parseJSON reads a JSON Feed, https://www.jsonfeed.org/version/1.1/.
func parseJSON(source []byte, base *url.URL) (*document, error) {
	var head struct {
		Version string `json:"version"`
	}
	err := json.Unmarshal(source, &head)
	if err != nil || !strings.HasPrefix(head.Version, "https://jsonfeed.org/version/") {
		return nil, errNoFeed
	}
	doc := &document{source: source, contentType: "application/feed+json"}
	d := json.NewDecoder(bytes.NewReader(source))
	if err := toItems(d); err != nil {
		return nil, err
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, fmt.Errorf("the feed is no JSON that can be read: %w", err)
		}
		if len(doc.entries) == maxEntries {
			return nil, fmt.Errorf("the feed has more than %d entries", maxEntries)
		}
		e, err := jsonEntry(raw, base)
		if err != nil {
			return nil, fmt.Errorf("entry %d of the feed: %w", len(doc.entries)+1, err)
		}
		e.to = int(d.InputOffset())
		e.from = e.to - len(raw)
		doc.entries = append(doc.entries, e)
	}
	return doc, nil
}

// toItems reads up to the first of the items, or to the end where there are none.
func toItems(d *json.Decoder) error {
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if name == "items" {
			if open, err := d.Token(); err != nil || open != json.Delim('[') {
				return fmt.Errorf("%w: its items are no list", errNoFeed)
			}
			return nil
		}
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: it has no items", errNoFeed)
}

// jsonEntry reads an item.
func jsonEntry(raw json.RawMessage, base *url.URL) (*entry, error) {
	var item struct {
		URL     string `json:"url"`
		Linked  string `json:"external_url"`
		HTML    string `json:"content_html"`
		Text    string `json:"content_text"`
		Summary string `json:"summary"`
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	e := &entry{text: longer(plainText(item.HTML), longer(item.Text, item.Summary))}
	link := resolve(base, item.URL)
	if link == "" {
		link = resolve(base, item.Linked)
	}
	if u, err := url.Parse(link); err == nil && link != "" {
		e.link = u
	}
	e.render = func(html string) ([]byte, error) {
		content, err := json.Marshal(html)
		if err != nil {
			return nil, err
		}
		members["content_html"] = content
		delete(members, "content_text") // which would be the teaser still
		return json.Marshal(members)
	}
	return e, nil
}
