package cache

import "time"

// Admission is the rule by which the store accepts a new host. A host that was not admitted lives in memory only. So a
// page full of throwaway host names writes nothing to disk and evicts no model from a full store.
type Admission struct {
	// Pages is the number of distinct pages that must be learned first.
	Pages int
	// Visits is the number of visits that these pages must come from. A page starts a new visit when it comes from
	// another client than the page before, or when Gap has passed since that page.
	Visits int
	// Gap is the time that separates two visits of one client. Default 1 minute.
	Gap time.Duration
}

// DefaultAdmission requires three pages in two visits. A site that somebody reads is admitted within minutes; a site
// that somebody opens once is not.
func DefaultAdmission() Admission { return Admission{Pages: 3, Visits: 2, Gap: time.Minute} }

// admission is the progress of one host towards admission. Models.mu guards it.
type admission struct {
	pages, visits int
	// client is the client that taught the first page, by the client that taught the newest, last the time of the
	// newest.
	last       time.Time
	by, client uint64
	// trusted says that an operator imported the model.
	trusted bool
}

// note counts a page that was learned.
func (a *admission) note(pages int, j job, gap time.Duration) {
	if a.visits == 0 || j.client != a.by || j.visit.At.Sub(a.last) >= gap {
		a.visits++
	}
	if a.client == 0 {
		a.client = j.client
	}
	a.pages, a.last, a.by = pages, j.visit.At, j.client
}

// admitted reports whether the store accepts the model of e. The caller holds m.mu.
func (m *Models) admitted(e *entry) bool {
	o := m.opt.Admission
	return e.stored || e.trusted || e.unread || e.saved > 0 || e.pages >= o.Pages && e.visits >= o.Visits
}

// trust admits e without further pages.
func (m *Models) trust(e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.trusted = true
}
