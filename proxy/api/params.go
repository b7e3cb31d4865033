package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/write"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// params are what a program asks for: the parameters of GET, or the members of a JSON body.
type params struct {
	// URL is the page's address. HTML is the page, if the program has it; otherwise winnow fetches it.
	URL  string `json:"url"`
	HTML string `json:"html"`
	// Mode is the form of the answer. Keep and Drop are kinds of parts, separated by commas.
	Mode page.Mode    `json:"mode"`
	Keep page.KindSet `json:"keep"`
	Drop page.KindSet `json:"drop"`
	// Links says how Markdown writes links. Chunks is the size in tokens of the pieces in JSON, 0 for none.
	Links  write.LinkStyle `json:"links"`
	Chunks int             `json:"chunks"`
	// Tokens is the size in tokens of the parts that Markdown and text come in, 0 for all in one; Part is the part that is
	// wanted, from 1.
	Tokens int `json:"tokens"`
	Part   int `json:"part"`
	// Learn is false if the page must not be learned.
	Learn bool `json:"learn"`
	// Private is false if the page must not be at a loopback or private address, even where the rules permit it.
	Private bool `json:"private"`

	// has are the entity tags of the pages that the program has: the values of If-None-Match.
	has []string
	// shared are fields of the origin's answer that HTML came with, where winnow itself has fetched it.
	shared http.Header
}

// fresh returns the request with all defaults.
func (a *api) fresh() params { return params{Mode: a.Mode, Part: 1, Learn: true, Private: true} }

// fromQuery reads the parameters of a request.
func (a *api) fromQuery(q url.Values) (params, error) {
	v := a.fresh()
	for name, values := range q {
		if len(values) > 1 {
			return v, wrong(name, name+" occurs more than once")
		}
		if err := v.set(name, values[0]); err != nil {
			return v, wrong(name, err.Error())
		}
	}
	return v, v.check()
}

// set sets one parameter.
func (v *params) set(name, value string) (err error) {
	switch name {
	case "url":
		v.URL = value
	case "mode":
		err = v.Mode.UnmarshalText([]byte(value))
	case "keep":
		err = v.Keep.UnmarshalText([]byte(value))
	case "drop":
		err = v.Drop.UnmarshalText([]byte(value))
	case "links":
		err = v.Links.UnmarshalText([]byte(value))
	case "chunks":
		v.Chunks, err = number(name, value)
	case "tokens":
		v.Tokens, err = number(name, value)
	case "part":
		v.Part, err = number(name, value)
	case "learn":
		if v.Learn, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("learn %q: want true or false", value)
		}
	case "private":
		if v.Private, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("private %q: want true or false", value)
		}
	default:
		err = errors.New("there is no parameter of that name; /api/v1/openapi.json lists them")
	}
	return err
}

func number(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, fmt.Errorf("%s %q: want a number", name, value)
	}
	return n, nil
}

// fromJSON reads a JSON object.
func (a *api) fromJSON(r io.Reader) (params, error) {
	v := a.fresh()
	if err := decodeJSON(r, &v); err != nil {
		return v, err
	}
	return v, v.check()
}

// decodeJSON reads one JSON object, whose members must be known.
func decodeJSON(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("there is more than one value")
	}
	var tooLarge *http.MaxBytesError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &tooLarge):
		return problem.Document{Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("the request is larger than %d bytes", tooLarge.Limit)}
	case errors.As(err, &typed):
		return wrong(typed.Field, fmt.Sprintf("%s: want %s, not %s", typed.Field, typed.Type, typed.Value))
	}
	return wrong("body", "the body is not a valid JSON object: "+strings.TrimPrefix(err.Error(), "json: "))
}

// check validates the request as a whole.
func (v *params) check() error {
	if v.URL == "" {
		return wrong("url", "url is missing: give the page's address, even if you send the page as HTML, because it names the site")
	}
	u, err := url.Parse(v.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return wrong("url", fmt.Sprintf("url %q: want an address that begins with http:// or https://", v.URL))
	}
	if v.Chunks < 0 {
		return wrong("chunks", fmt.Sprintf("chunks %d: want a number of tokens", v.Chunks))
	}
	return v.checkParts()
}

// minTokens is the size of the smallest parts.
const minTokens = 100

// checkParts finds what is wrong with the parts that are asked for.
func (v *params) checkParts() error {
	switch {
	case v.Tokens != 0 && v.Mode != page.ModeMarkdown && v.Mode != page.ModeText:
		return wrong("tokens", "tokens: pages come in parts in the modes markdown and text; json has chunks")
	case v.Tokens != 0 && v.Tokens < minTokens:
		return wrong("tokens", fmt.Sprintf("tokens %d: a part has at least %d", v.Tokens, minTokens))
	case v.Part < 1, v.Part > 1 && v.Tokens == 0:
		return wrong("part", fmt.Sprintf("part %d: want a number from 1, with tokens that say how long a part may be", v.Part))
	}
	return nil
}

// header returns the request as the fields that clients of the proxy use.
func (v *params) header() http.Header {
	h := http.Header{"Winnow-Mode": {v.Mode.String()}, "Winnow-Links": {v.Links.String()}, "Accept": {"text/html,application/xhtml+xml"}}
	for field, kinds := range map[string]page.KindSet{"Winnow-Keep": v.Keep, "Winnow-Drop": v.Drop} {
		if kinds != 0 {
			h.Set(field, kinds.String())
		}
	}
	if v.has != nil {
		h["If-None-Match"] = v.has
	}
	if v.Chunks > 0 {
		h.Set("Winnow-Chunks", strconv.Itoa(v.Chunks))
	}
	if !v.Learn {
		h.Set("Winnow-Learn", "off")
	}
	return h
}
