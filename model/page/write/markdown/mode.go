package markdown

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
	"github.com/winnow-proxy/winnow/model/page/write/content"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
	"github.com/winnow-proxy/winnow/model/page/write/simple"
)

// Write writes the content as GitHub-flavoured Markdown (RFC 7763).
func Write(p *page.Page, m *page.Marking, o Options, frontMatter bool) ([]byte, error) {
	view := content.Of(p, m, content.Options{URL: o.URL, Done: o.Done})
	md, folded, err := OfView(view, o)
	if err != nil {
		return nil, err
	}
	md = plaintext.WithNotShown(md, folded)
	if frontMatter {
		if md, err = withFrontMatter(metadata.Seen(p, o.URL, view.Seen), md); err != nil {
			return nil, err
		}
	}
	return []byte(content.WithoutInvisible(md)), nil
}

// OfView returns what people see as Markdown, and apart what they do not see at once.
func OfView(v *content.View, o Options) (md, folded string, err error) {
	if page.IsDone(o.Done) {
		return "", "", page.ErrDone
	}
	body, apart := simple.Parts(v, simple.ForPrograms)
	if md, err = Convert(simple.WithoutPlaces(body), o); err == nil && len(apart) > 0 {
		folded, err = Convert(simple.FoldedBody(apart), o)
	}
	if err != nil {
		return "", "", fmt.Errorf("writing a page as Markdown: %w", err)
	}
	return md, folded, nil
}

// withFrontMatter puts what the page says of itself before the text, as YAML between lines of dashes.
func withFrontMatter(d metadata.Metadata, md string) (string, error) {
	fields := struct {
		Title       string `yaml:"title,omitempty"`
		URL         string `yaml:"url,omitempty"`
		Canonical   string `yaml:"canonical,omitempty"`
		Author      string `yaml:"author,omitempty"`
		Date        string `yaml:"date,omitempty"`
		Description string `yaml:"description,omitempty"`
		Image       string `yaml:"image,omitempty"`
		SiteName    string `yaml:"site_name,omitempty"`
		Language    string `yaml:"language,omitempty"`
	}{d.Title, d.URL, d.Canonical, d.Author, d.Date, d.Description, d.Image, d.SiteName, d.Language}
	head, err := yaml.Marshal(fields)
	if err != nil {
		return "", fmt.Errorf("writing the front matter: %w", err)
	}
	if strings.TrimSpace(string(head)) == "{}" {
		return md, nil
	}
	return "---\n" + string(head) + "---\n\n" + md, nil
}
