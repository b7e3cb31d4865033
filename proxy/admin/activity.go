package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/ownpages"
	"github.com/winnow-proxy/winnow/proxy/recent"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// chart is a chart of bars, whose heights and places are in hundredths of the drawing.
type chart struct {
	ID, Title, First, Last string
	// Most is the number of pages of the highest bar.
	Most int64
	Bars []chartBar
}

type chartBar struct {
	X, Y, Width, Height float64
	// Words say the same to people who point at a bar, or can't see it.
	Words string
}

// chartOf draws the pages of spans, each named by a form of its time.
func chartOf(id, title, form string, spans []savings.Span) chart {
	c := chart{ID: id, Title: title, First: spans[0].From.Format(form), Last: spans[len(spans)-1].From.Format(form)}
	for _, s := range spans {
		c.Most = max(c.Most, s.Pages)
	}
	wide := 100 / float64(len(spans))
	for i, s := range spans {
		high := 100 * float64(s.Pages) / float64(max(c.Most, 1))
		c.Bars = append(c.Bars, chartBar{X: (float64(i) + .1) * wide, Y: 100 - high, Width: wide * .8, Height: high,
			Words: fmt.Sprintf("%s: %s pages, %s taken out", s.From.Format(form), ownpages.Count(s.Pages), ownpages.Bytes(s.Saved()))})
	}
	return c
}

// shownPage is one of the last pages, with what became of it in words.
type shownPage struct {
	recent.Page
	Verdict, Why, Tag string
}

// outcomeWords puts the value of the field Winnow into words.
func outcomeWords(outcome string) (verdict, why, tag string) {
	fields := map[string]string{}
	name, rest, _ := strings.Cut(outcome, "; ")
	for field := range strings.SplitSeq(rest, "; ") {
		key, value, _ := strings.Cut(field, "=")
		fields[key] = value
	}
	switch name {
	case "cleaned":
		share, _ := strconv.ParseFloat(fields["removed"], 64) // 0 where it is none
		return "cleaned", ownpages.Percent(share) + " of the text taken out", ""
	case "failed":
		return "failed", fields["reason"], "bad"
	}
	why, ok := map[string]string{"mode-off": "somebody wants the original", "bypass": "you leave this site alone", "no-transform": "the site forbids changes",
		"application": "it is for work, not for reading", "no-content": "nothing would be left", "override": "your rules say so", "doubt": "winnow is not sure",
		"busy": "too much to do at once", "too-large": "it is too large", "slow": "it came too slowly", "timeout": "it took too long"}[fields["reason"]]
	if !ok {
		why = fields["reason"]
	}
	return "as it came", why, "noise"
}

// shownDevice is a device with the form that pauses cleaning for it.
type shownDevice struct {
	recent.Device
	Mode   string
	Paused time.Time
	Token  string
}

// activity fills in the charts, the last pages and the devices.
func (a *admin) activity(d *statusData) {
	if a.Savings != nil {
		d.Charts = []chart{chartOf("day", "The last 24 hours", "15:04", a.Savings.Hours(24)), chartOf("week", "The last 7 days", "Mon 2 Jan", a.Savings.Days(7))}
	}
	if a.Recent == nil {
		return
	}
	for _, p := range a.Recent.Pages() {
		verdict, why, tag := outcomeWords(p.Outcome)
		d.Pages = append(d.Pages, shownPage{p, verdict, why, tag})
	}
	for _, device := range a.Recent.Devices() {
		shown := shownDevice{Device: device, Token: a.tokens.For(operator, "pause", device.Name)}
		if a.Devices != nil {
			shown.Paused = a.Devices.Paused(device.Name)
			if mode, ok := a.Devices.Mode(device.Name); ok && shown.Paused.IsZero() {
				shown.Mode = mode.String()
			}
		}
		d.Devices = append(d.Devices, shown)
	}
}

// pauseLasts is how long a device gets the original.
const pauseLasts = 10 * time.Minute

// pauseByForm pauses cleaning for a device, or ends the pause.
func (a *admin) pauseByForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	device := r.PostFormValue("device")
	if a.Devices == nil || device == "" {
		fail(w, http.StatusBadRequest, "field device: want the name of a device")
		return
	}
	if !a.fromOwnPage(w, r, "pause", device) {
		return
	}
	until := a.Now()
	if r.PostFormValue("do") == "pause" {
		until = until.Add(pauseLasts)
	}
	a.Devices.Pause(device, until)
	http.Redirect(w, r, "/#devices", http.StatusSeeOther)
}

// order is how the sites are searched and sorted.
type order struct{ Find, Sort string }

// Link is the address of the same list, sorted in another way.
func (o order) Link(sort string) string {
	return "/?" + url.Values{"find": {o.Find}, "sort": {sort}}.Encode() + "#hosts"
}

// arrange keeps the sites that match, in order: the one seen last first where nothing else is asked for.
func (o order) arrange(rows []*row) []*row {
	var found []*row
	for _, x := range rows {
		if strings.Contains(x.Host, strings.ToLower(o.Find)) {
			found = append(found, x)
		}
	}
	slices.SortFunc(found, func(x, y *row) int {
		first := y.LastSeen.Compare(x.LastSeen)
		switch o.Sort {
		case "site":
			first = 0
		case "pages":
			first = cmp.Compare(y.HostInfo.Pages, x.HostInfo.Pages)
		case "saved":
			first = cmp.Compare(y.Saved(), x.Saved())
		}
		return cmp.Or(first, cmp.Compare(x.Host, y.Host))
	})
	return found
}
