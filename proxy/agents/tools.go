package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write/jsondoc"
	"github.com/winnow-proxy/winnow/model/page/write/markdown"
)

// defaultTokens is the size of a part where the model asks for none: what it can read without losing much of its
// memory.
const defaultTokens = 8000

// whichPart is what each tool can be asked for.
type whichPart struct {
	Part      int `json:"part,omitempty" jsonschema:"number of the part, from 1, where the answer has several"`
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"size of a part in tokens, at least 100; default 8000"`
}

func (w whichPart) orDefault() whichPart {
	if w.Part == 0 {
		w.Part = 1
	}
	if w.MaxTokens == 0 {
		w.MaxTokens = defaultTokens
	}
	return w
}

type pageInput struct {
	URL   string `json:"url" jsonschema:"address of the page, beginning with http:// or https://"`
	Links string `json:"links,omitempty" jsonschema:"how links are written; default inline"`
	Keep  string `json:"keep,omitempty" jsonschema:"kinds of parts that stay, separated by commas, such as comments,related,nav"`
	Drop  string `json:"drop,omitempty" jsonschema:"kinds of parts to leave out, separated by commas, such as comments,caption"`
	whichPart
}

type templateInput struct {
	Host string `json:"host,omitempty" jsonschema:"name of the site, such as example.org; its first page is read"`
	URL  string `json:"url,omitempty" jsonschema:"address of a page of the site, in place of host"`
	whichPart
}

type removedInput struct {
	URL string `json:"url" jsonschema:"address of the page, beginning with http:// or https://"`
	whichPart
}

type changesInput struct {
	URL   string `json:"url" jsonschema:"address of the page, beginning with http:// or https://"`
	Since string `json:"since,omitempty" jsonschema:"tag that an earlier call of this tool for this page gave"`
	whichPart
}

// tools are the tools of a server.
type tools struct {
	api http.Handler
	// private lets them read what is at loopback and private addresses, if the API does.
	private bool
}

// readPage is read_page.
func (t tools) readPage(ctx context.Context, in pageInput) (*mcp.CallToolResult, error) {
	in.whichPart = in.orDefault()
	params := url.Values{"url": {in.URL}, "mode": {page.ModeMarkdown.String()}, "tokens": {strconv.Itoa(in.MaxTokens)}, "part": {strconv.Itoa(in.Part)}}
	for name, value := range map[string]string{"links": in.Links, "keep": in.Keep, "drop": in.Drop} {
		if value != "" {
			params.Set(name, value)
		}
	}
	a, err := t.ask(ctx, "/api/v1/clean", params)
	if err != nil {
		return nil, err
	}
	about, text := cutFrontMatter(string(a.Body))
	return asData(in.URL, a.Header.Get("Winnow-Part"), "Address: "+a.Header.Get("Content-Location")+"\n\n"+text, about), nil
}

// cutFrontMatter takes the metadata off, which the API puts before Markdown, and returns what of it models get: title
// and date. They come with what people do not see, because a page can say there what it likes.
func cutFrontMatter(md string) (about, text string) {
	rest, ok := strings.CutPrefix(md, "---\n")
	head, text, ended := strings.Cut(rest, "\n---\n")
	if !ok || !ended {
		return "", md
	}
	var said struct{ Title, Date string }
	if err := yaml.Unmarshal([]byte(head), &said); err == nil {
		for _, line := range [][2]string{{"Title", said.Title}, {"Date", said.Date}} {
			if line[1] != "" {
				about += line[0] + ": " + strings.Join(strings.Fields(line[1]), " ") + "\n"
			}
		}
	}
	return about, strings.TrimLeft(text, "\n")
}

// readTemplate is read_site_template.
func (t tools) readTemplate(ctx context.Context, in templateInput) (*mcp.CallToolResult, error) {
	params, of := url.Values{"host": {in.Host}}, in.Host
	switch {
	case in.URL != "":
		params, of = url.Values{"url": {in.URL}}, in.URL
	case in.Host == "":
		return nil, fmt.Errorf("host is missing: give the name of the site, or the address of one of its pages as url")
	}
	var found struct {
		URL   string            `json:"url"`
		Parts []jsondoc.Removed `json:"parts"`
	}
	if err := t.document(ctx, "/api/v1/template", params, &found); err != nil {
		return nil, err
	}
	return inParts(of, in.whichPart, "Address: "+found.URL+"\n\n"+list(found.Parts))
}

// listRemoved is list_removed.
func (t tools) listRemoved(ctx context.Context, in removedInput) (*mcp.CallToolResult, error) {
	var d jsondoc.Document
	if err := t.document(ctx, "/api/v1/clean", url.Values{"url": {in.URL}, "mode": {page.ModeJSON.String()}}, &d); err != nil {
		return nil, err
	}
	head := fmt.Sprintf("Removed: %.0f %% of the text, in %d parts.", 100*d.Removed, len(d.Template))
	if d.Confidence > 0 {
		head += fmt.Sprintf(" Pages judged like this one have had %.2f of F1.", d.Confidence)
	}
	return inParts(in.URL, in.whichPart, head+"\n\n"+list(d.Template))
}

// changes is the tool of that name.
func (t tools) changes(ctx context.Context, in changesInput) (*mcp.CallToolResult, error) {
	type block struct {
		Text string `json:"text"`
	}
	var found struct {
		URL, ETag    string
		Known        bool
		New, Changed []block
		Gone         []struct{ After int }
	}
	params := url.Values{"url": {in.URL}}
	if in.Since != "" {
		params.Set("since", in.Since)
	}
	if err := t.document(ctx, "/api/v1/changes", params, &found); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Address: %s\n\nTag: %s\n\n%d blocks are new, %d changed, %d gone.\n", found.URL, found.ETag, len(found.New), len(found.Changed), len(found.Gone))
	if in.Since != "" && !found.Known {
		b.WriteString("Nothing is kept of the call with the tag that you gave, so all blocks count as new.\n")
	}
	for _, part := range []struct {
		name   string
		blocks []block
	}{{"Changed", found.Changed}, {"New", found.New}} {
		for i, block := range part.blocks {
			if i == 0 {
				fmt.Fprintf(&b, "\n## %s\n", part.name)
			}
			b.WriteString("\n" + block.Text + "\n")
		}
	}
	return inParts(in.URL, in.whichPart, b.String())
}

// list writes parts of pages as Markdown.
func list(parts []jsondoc.Removed) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", p.Kind, p.Text)
		for _, l := range p.Links {
			if l.Hidden {
				continue
			}
			fmt.Fprintf(&b, "- %s: %s\n", l.Text, l.URL)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// inParts returns the part of a text that is wanted.
func inParts(of string, w whichPart, text string) (*mcp.CallToolResult, error) {
	w = w.orDefault()
	parts := markdown.Parts(text, max(w.MaxTokens, 100))
	if w.Part < 1 || w.Part > len(parts) {
		return nil, fmt.Errorf("part %d: there are %d parts of %d tokens", w.Part, len(parts), w.MaxTokens)
	}
	return asData(of, fmt.Sprintf("%d/%d", w.Part, len(parts)), parts[w.Part-1], ""), nil
}

// document asks the API for JSON.
func (t tools) document(ctx context.Context, path string, params url.Values, into any) error {
	a, err := t.ask(ctx, path, params)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return fmt.Errorf("reading the answer of the API: %w", err)
	}
	return nil
}
