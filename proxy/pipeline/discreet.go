package pipeline

import (
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
)

// What clients that share models may learn about the models, and what they teach each other.

// discreet returns a marking without scores and other traces of the model. A score slightly above that of the next
// block would reveal that somebody has seen its text before; the verdicts are visible on the page anyway.
func discreet(m *page.Marking) *page.Marking {
	d := *m
	d.Pages, d.Confidence = 0, 0
	d.Verdicts, d.Marks, d.Parts = slices.Clone(m.Verdicts), slices.Clone(m.Marks), slices.Clone(m.Parts)
	for i := range d.Verdicts {
		d.Verdicts[i].Score = 0
		if d.Verdicts[i].Noise {
			d.Verdicts[i].Score = 1
		}
	}
	for i := range d.Marks {
		d.Marks[i].Score = 1
	}
	for i := range d.Parts {
		d.Parts[i].Weight = 1
	}
	return &d
}

// shared reports whether the client of x must not learn about the others from the models.
func (x *Job) shared() bool { return x.pl.opts.Shared || x.relayed }

// learnPolicy is the policy for a page that the client of x reads.
func (x *Job) learnPolicy() LearnPolicy {
	switch {
	case x.pl.opts.Learn != LearnAuto:
		return x.pl.opts.Learn
	case x.shared():
		return LearnPublic
	}
	return LearnAll
}

// isFramed reports whether a page shows the answer in a frame of its own. Sites follow people from one site to the next
// with what they leave in a host's model by frames, and read there: such pages are judged by themselves, and teach
// nothing. A frame of the same site is no exception, because a frame that leads itself elsewhere says that it is one
// (Fetch Metadata §2.3). Browsers say nothing of it over plain HTTP.
func isFramed(h http.Header) bool {
	switch strings.ToLower(h.Get("Sec-Fetch-Dest")) {
	case "iframe", "frame", "embed", "object", "fencedframe":
		return true
	}
	return false
}

// isProgram reports whether a program asks that is no browser. The scripts of a page can read the header of its
// answers, so answers to browsers say nothing about the model. Over plain HTTP they do not say what they are, and a
// script can set most fields; but it can't keep back Accept-Language, which every browser sends.
func (h requestHeader) isProgram() bool {
	return h.Get("Sec-Fetch-Dest") == "" && h.Get("Sec-Fetch-Site") == "" && len(h.Header["Accept-Language"]) == 0 && !h.isBrowser()
}

// sharedGeneration is the generation of all pages where clients share models. It is constant, because otherwise an
// entity tag would reveal whether a page is new to the model.
const sharedGeneration = 15 * time.Minute

// generation returns the current generation of the model that judges a page, or false if it is unknown.
func (x *Job) generation() (generation, bool) {
	if x.framed {
		return 0, true
	}
	if x.shared() {
		return x.pl.epoch(), true
	}
	if gen, ok := x.pl.generations.Get(x.host); ok {
		return *gen, true
	}
	return 0, false
}

// generationOf returns the generation of a page that was just judged.
func (x *Job) generationOf(m *page.Marking) generation {
	if x.shared() && !x.framed {
		return x.pl.epoch()
	}
	return generationOf(m.Pages)
}

func (pl *Pipeline) epoch() generation {
	return generation(pl.opts.Now().UnixNano() / int64(sharedGeneration))
}

// visitOf returns the visit of a page. Where clients share models, each has what is remembered of texts for itself.
func (x *Job) visitOf() model.Visit {
	v := model.Visit{URL: x.url, At: x.pl.opts.Now(), Fresh: x.framed}
	if x.shared() {
		v.Salt = maphash.String(x.pl.scripts.seed, x.client)
	}
	return v
}

// teach queues the page to be learned, or the parts of it that a quorum of clients has seen. It returns false if the
// queue is full.
func (x *Job) teach() bool {
	p := x.page
	if x.pl.quorum != nil {
		if p = x.pl.quorum.Seen(x.client, x.visit.URL, p); p == nil {
			return true
		}
	}
	return x.pl.opts.Models.LearnFrom(x.client, x.host, p, x.visit)
}

// Tag identifies what decides about pages, for stores that ask nothing else (package icap): the settings, and a time
// after which models may have learned something. At most 19 bytes of hexadecimal digits and a dash.
func (pl *Pipeline) Tag() string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s %d %x %x", pl.opts.Mode, pl.opts.Learn, pl.opts.Judge(""), policyPrint(pl.opts.PolicyOf("")))
	return fmt.Sprintf("%x-%x", h.Sum32(), pl.opts.Now().UnixNano()/int64(sharedGeneration))
}
