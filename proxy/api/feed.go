package api

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/feed"
	"github.com/winnow-proxy/winnow/proxy/problem"
)

// feed serves GET /feed: a feed whose entries have the whole text of their pages. Programs that read feeds subscribe to
// this address.
func (a *api) feed(w http.ResponseWriter, r *http.Request) {
	u, err := feedAddress(r.URL.Query())
	if err != nil {
		problemOf(err).Write(w)
		return
	}
	found, err := a.Cleaner.RestoreFeed(dial.Named(r.Context()), u, whoAsks(r.Context()))
	var wrong *feed.Error
	switch {
	case err == nil:
	case r.Context().Err() != nil:
		return
	case errors.As(err, &wrong):
		if wrong.Wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(wrong.Wait.Seconds())))
		}
		problem.Document{Status: wrong.Status, OriginStatus: wrong.OriginStatus, Detail: wrong.Error()}.Write(w)
		return
	default:
		problemOf(err).Write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", found.ContentType)
	h.Set("Winnow", found.Counts.String())
	h.Set("ETag", found.Tag)
	h.Set("Cache-Control", "private, no-cache") // a conditional request is welcome
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(found.Body))
}

// feedAddress reads the parameters of a request for a feed: its address alone.
func feedAddress(q url.Values) (*url.URL, error) {
	for name := range q {
		if name != "url" {
			return nil, wrong(name, "a feed has the parameter url alone")
		}
	}
	if len(q["url"]) > 1 {
		return nil, wrong("url", "url stands there more than once")
	}
	v := params{URL: q.Get("url"), Part: 1}
	if err := v.check(); err != nil {
		return nil, err
	}
	return url.Parse(v.URL)
}
