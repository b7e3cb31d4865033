package evaluate

// AccuracySkips is the number of pages at the start of a site that accuracy leaves out: the paper that it comes from
// names the first few pages as those where its method has learned too little.
const AccuracySkips = 10

// accuracyTolerance is the share of the content that may be missing, and the share of the output that may be noise, on
// a page that counts as right. The figure is ours: the paper's authors judged by eye, which overlooks a single line.
const accuracyTolerance = 0.05

// Accuracy is what the study of line statistics ("行文本統計去噪網頁文本抽取方法") reports by site, in [0,1]. It does
// not say how a page was judged, so there are two readings.
type Accuracy struct {
	// N is the number of pages, or of sites, that the figures are of.
	N int `json:"n"`
	// Right is the share of pages that came out right: at least 95 % of the content's characters are there, and at most
	// 5 % of the output's are noise.
	Right float64 `json:"right"`
	// Chars is the share of the pages' characters that were treated correctly: kept content and removed noise.
	Chars float64 `json:"chars"`
}

// accuracyAfterFirst is the accuracy on the pages after the first AccuracySkips. It leaves out pages without gold.
func accuracyAfterFirst(pages []PageScore) (a Accuracy) {
	var chars Chars
	right := 0
	for i, p := range pages {
		if i < AccuracySkips || p.Gold == 0 {
			continue
		}
		a.N++
		chars = chars.plus(p.Chars)
		if p.Chars.right() {
			right++
		}
	}
	if a.N == 0 {
		return a
	}
	a.Right = float64(right) / float64(a.N)
	a.Chars = float64(chars.Kept+chars.Noise-chars.Left) / float64(chars.Gold+chars.Noise)
	return a
}

// right reports whether a reader would call the page well extracted.
func (c Chars) right() bool {
	lost, left := float64(c.Gold-c.Kept), float64(c.Left)
	return lost <= accuracyTolerance*float64(c.Gold) && left <= accuracyTolerance*float64(c.Kept+c.Left)
}

// accuracyOfSites is the mean over the sites with pages after the first AccuracySkips, and the same by class.
func accuracyOfSites(sites []SiteScore) (all Accuracy, byClass map[string]Accuracy) {
	groups := map[string][]Accuracy{}
	var every []Accuracy
	for _, s := range sites {
		if s.Accuracy.N == 0 {
			continue
		}
		every = append(every, s.Accuracy)
		if s.Class != "" {
			groups[s.Class] = append(groups[s.Class], s.Accuracy)
		}
	}
	byClass = map[string]Accuracy{}
	for class, as := range groups {
		byClass[class] = meanAccuracy(as)
	}
	return meanAccuracy(every), byClass
}

func meanAccuracy(as []Accuracy) (m Accuracy) {
	m.N = len(as)
	for _, a := range as {
		m.Right += a.Right / float64(m.N)
		m.Chars += a.Chars / float64(m.N)
	}
	return m
}
