package override

import (
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

// A policy does not change what people decided: it keeps no form that they removed, and drops no kind that they kept.
func TestPoliciesLeaveAloneWhatWasDecided(t *testing.T) {
	p, err := page.Parse([]byte(`<body><p>Some text that stays</p><div class=box><form><input name=q><button>Buy</button> now</form></div>
<time class=date>1 May</time></body>`), "text/html")
	if err != nil {
		t.Fatal(err)
	}
	m := &page.Marking{Verdicts: make([]page.Verdict, len(p.Blocks))}
	out := compile(t, Site{Remove: []string{".box"}, Keep: []string{".date"}}).Apply(p, m)
	policy := policy.Default().With(0, page.Kinds(page.KindDate))
	if got := shown(t, p, policy.Apply(p, out)); got != "Some text that stays|1 May" {
		t.Errorf("shown is %q", got)
	}
	if got := shown(t, p, policy.Apply(p, m)); got == "Some text that stays|1 May" {
		t.Errorf("without rules the policy does nothing: %q", got)
	}
}
