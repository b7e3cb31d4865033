package model

import "github.com/winnow-proxy/winnow/model/page"

// Evidence is something that speaks for or against a block being noise.
type Evidence struct {
	// Name identifies it for programs ("links").
	Name string `json:"name"`
	// Words say it to people ("running text").
	Words string `json:"words"`
	// Weight is how much it changes the log-odds of noise: above 0 it speaks for noise, below 0 for content.
	Weight float32 `json:"weight"`
}

// Explainer is a Host that can say what its verdicts rest on. Like Mark, Explain only reads.
type Explainer interface {
	// Explain returns the evidence about each block of the page, the weightiest first; nil where there is none. What is
	// decided after the blocks are weighed (by the parts around them, by people, by kind) is not in it.
	Explain(p *page.Page, v Visit) [][]Evidence
}
