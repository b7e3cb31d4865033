package page

import "errors"

var errUnwritten = errors.New("not written yet")

func (p *Page) writeReader(m *Marking) (*Output, error)   { return nil, errUnwritten }
func (p *Page) writeText(m *Marking) (*Output, error)     { return nil, errUnwritten }
func (p *Page) writeMarkdown(m *Marking) (*Output, error) { return nil, errUnwritten }
func (p *Page) writeJSON(m *Marking) (*Output, error)     { return nil, errUnwritten }
