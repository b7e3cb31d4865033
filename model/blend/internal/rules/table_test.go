package rules

import "testing"

// Rules are on until they are switched off by their name, and names of no rule are refused.
func TestRulesSwitchOff(t *testing.T) {
	for _, r := range Table() {
		set, err := Without(r.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range Names() {
			if on := set.Has(other); on != (other != r.Name) || !(Set{}).Has(other) {
				t.Errorf("without %s, %s is on: %v", r.Name, other, on)
			}
		}
		if r.Purpose == "" || r.Found == "" {
			t.Errorf("%s says not what it does and where it was found", r.Name)
		}
	}
	if _, err := Without("kettle"); err == nil {
		t.Error("a rule that is none is switched off")
	}
}
