package cache

import "time"

// Admission says when the store takes a host that it does not have. Hosts that were never admitted live in memory only,
// so that a page full of throwaway host names writes nothing to the disk and pushes no model out of a full store.
type Admission struct {
	// Pages is the number of distinct pages to learn first.
	Pages int
	// Visits is the number of visits that these must come from: a page is of another visit when it comes from another
	// client than the page before or when Gap has passed since that.
	Visits int
	// Gap is the time that separates two visits of one client. Default 1 minute.
	Gap time.Duration
}

// DefaultAdmission is three pages in two visits: a reader of a site is admitted within minutes, what is opened once is
// not.
func DefaultAdmission() Admission { return Admission{Pages: 3, Visits: 2, Gap: time.Minute} }

// admission is how far a host has come; Models.mu guards it.
type admission struct {
	pages, visits int
	// last is the time of the newest page, by and client who taught that and the first one.
	last       time.Time
	by, client uint64
	// trusted says that an operator brought the model.
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

// admitted reports whether the store takes the model of e. m.mu is held.
func (m *Models) admitted(e *entry) bool {
	o := m.opt.Admission
	return e.stored || e.trusted || e.unread || e.saved > 0 || e.pages >= o.Pages && e.visits >= o.Visits
}

// trust has the store take e without further pages.
func (m *Models) trust(e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.trusted = true
}
