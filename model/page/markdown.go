package page

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/model/page/write/markdown"
	"github.com/winnow-proxy/winnow/model/page/write/plaintext"
)

// writeMarkdown writes the content as GitHub-flavoured Markdown (RFC 7763).
func (p *Page) writeMarkdown(m *Marking, o markdown.Options, frontMatter bool) ([]byte, error) {
	view := p.viewContent(m, viewOptions{URL: o.URL, Done: o.Done})
	md, folded, err := view.markdown(o)
	if err != nil {
		return nil, err
	}
	md = plaintext.WithNotShown(md, folded)
	if frontMatter {
		if md, err = withFrontMatter(p.metadata(o.URL, view.seen), md); err != nil {
			return nil, err
		}
	}
	return []byte(withoutInvisible(md)), nil
}

// markdown returns what people see as Markdown, and apart what they do not see at once.
func (v *contentView) markdown(o markdown.Options) (md, folded string, err error) {
	if IsDone(o.Done) {
		return "", "", ErrDone
	}
	body, apart := v.simpleParts(forPrograms)
	if md, err = markdown.Convert(withoutPlaces(body), o); err == nil && len(apart) > 0 {
		folded, err = markdown.Convert(foldedBody(apart), o)
	}
	if err != nil {
		return "", "", fmt.Errorf("writing a page as Markdown: %w", err)
	}
	return md, folded, nil
}

// withFrontMatter puts what the page says of itself before the text, as YAML between lines of dashes.
func withFrontMatter(d Metadata, md string) (string, error) {
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
