package metadata

import (
	"testing"
	"time"
)

func TestCleanByline(t *testing.T) {
	for text, want := range map[string]string{
		"Ada Brown, Staff Writer":              "Ada Brown",
		"Review by Ada Brown Contributor":      "Ada Brown",
		"Ada Brown, Max Grey, Gazette Network": "Ada Brown, Max Grey",
		"Von Ada Brown":                        "Ada Brown",
		"Example Press":                        "Example Press",
		"Gazette staff":                        "",
		"Redazione":                            "",
	} {
		if got := cleanByline(text); got != want {
			t.Errorf("cleanByline(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzReadDate(f *testing.F) {
	f.Add("5 March 2024")
	f.Add("2024-03-05")
	f.Fuzz(func(t *testing.T, text string) {
		d := ReadDate(text)
		if _, err := time.Parse(time.DateOnly, d); d != "" && err != nil {
			t.Errorf("ReadDate(%q) = %q, which is no date", text, d)
		}
		if name := cleanByline(text); len(name) > len(text) && cleanByline(name) == "" {
			t.Errorf("cleanByline(%q) = %q", text, name)
		}
	})
}
