package memory

// Add adds an increment. Its page counts as the newest, so everything known before is a page older.
func (m *Memory) Add(page *Memory) {
	m.Pages += page.Pages
	for k, s := range page.Seen.All() {
		mine, known := m.Seen.At(k)
		mine.Count += s.Count
		mine.show(m.Pages, known)
	}
	for k, p := range page.Places.All() {
		mine, known := m.Places.At(k)
		mine.sum(p)
		mine.show(m.Pages, known)
	}
	m.Settle()
}

// Merge adds the sums of o. Spans add up too: a thing that both know was looked for on the pages of both, and a thing
// that only one knows on the pages of that one.
func (m *Memory) Merge(o *Memory) {
	pages := m.Pages + o.Pages
	for _, s := range m.Seen.All() {
		s.Age = Age{s.on(m.Pages), pages}
	}
	for k, s := range o.Seen.All() {
		mine, _ := m.Seen.At(k)
		*mine = sighting{mine.Count + s.Count, Age{mine.span + s.on(o.Pages), pages}}
	}
	for _, p := range m.Places.All() {
		p.Age = Age{p.on(m.Pages), pages}
	}
	for k, p := range o.Places.All() {
		mine, _ := m.Places.At(k)
		mine.sum(p)
		mine.Age = Age{mine.span + p.on(o.Pages), pages}
	}
	m.Pages = pages
	m.Settle()
}
