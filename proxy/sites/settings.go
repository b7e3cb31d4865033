// Package sites keeps what is set for single sites, by three kinds of people:
//
//   - the configuration has rules for hosts ([Rules]), which take precedence over the detector;
//   - the operator sets mode, bypass, kinds of parts and rules ([Book]). They stand above the configuration: where both
//     speak of the same thing, the settings of the site decide. Only a bypass of the configuration can't be lifted;
//   - who reads chooses how a device sees a site ([Choices]): as the original, once or always, or as a page to read.
//     The choice is a signed cookie. winnow sets it on the site and removes it from requests, so it applies to one
//     device and one site, over HTTP and HTTPS, and the site never sees it. [Devices] choose for all sites.
package sites

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/override"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/policy"
)

// Settings say how the pages of a site are treated. The zero value leaves everything to the configuration.
type Settings struct {
	// Mode is used for clients that ask for no mode; nil means the configuration's.
	Mode *page.Mode `json:"mode,omitempty"`
	// Bypass leaves the site alone: its HTTPS is not intercepted, its pages are neither cleaned nor learned.
	Bypass bool `json:"bypass,omitempty"`
	// KeepKinds and DropKinds are the kinds of parts that stay and that go.
	KeepKinds page.KindSet `json:"keep_kinds,omitzero"`
	DropKinds page.KindSet `json:"drop_kinds,omitzero"`
	// Keep and Remove select parts of pages, Ignore pages that stay unchanged, as in [override.Site].
	Keep   []string `json:"keep,omitempty"`
	Remove []string `json:"remove,omitempty"`
	Ignore []string `json:"ignore,omitempty"`
}

// Bounds of the settings of one site.
const (
	maxSelectors    = 200
	longestSelector = 1000
)

// ErrInvalid says that settings can't be used. It is wrapped with what is wrong.
var ErrInvalid = errors.New("these settings won't do")

// IsZero reports whether s leaves everything to the configuration.
func (s Settings) IsZero() bool { return reflect.ValueOf(s.tidy()).IsZero() }

// String says in words what the settings do, with " · " between.
func (s Settings) String() string {
	var words []string
	if s.Bypass {
		words = append(words, "left alone")
	}
	if s.Mode != nil {
		words = append(words, "mode "+s.Mode.String())
	}
	if s.KeepKinds != 0 {
		words = append(words, "keeps "+strings.ReplaceAll(s.KeepKinds.String(), ",", ", "))
	}
	if s.DropKinds != 0 {
		words = append(words, "drops "+strings.ReplaceAll(s.DropKinds.String(), ",", ", "))
	}
	switch n := len(s.Keep) + len(s.Remove) + len(s.Ignore); n {
	case 0:
	case 1:
		words = append(words, "1 rule")
	default:
		words = append(words, strconv.Itoa(n)+" rules")
	}
	return strings.Join(words, " · ")
}

// equal reports whether s and o say the same.
func (s Settings) equal(o Settings) bool { return reflect.DeepEqual(s.tidy(), o.tidy()) }

// tidy returns s without empty and repeated selectors, in memory of its own.
func (s Settings) tidy() Settings {
	if s.Mode != nil {
		mode := *s.Mode
		s.Mode = &mode
	}
	s.DropKinds &^= s.KeepKinds
	for _, list := range []*[]string{&s.Keep, &s.Remove, &s.Ignore} {
		var tidied []string
		for _, selector := range *list {
			if selector = strings.TrimSpace(selector); selector != "" && !slices.Contains(tidied, selector) {
				tidied = append(tidied, selector)
			}
		}
		*list = tidied
	}
	return s
}

// compile checks s and compiles its selectors.
func (s Settings) compile() (*Site, error) {
	for name, list := range map[string][]string{"keep": s.Keep, "remove": s.Remove, "ignore": s.Ignore} {
		if len(list) > maxSelectors {
			return nil, fmt.Errorf("%w: %s: %d selectors, want at most %d", ErrInvalid, name, len(list), maxSelectors)
		}
		for _, selector := range list {
			if len(selector) > longestSelector {
				return nil, fmt.Errorf("%w: %s: selector %.40q…: want at most %d bytes", ErrInvalid, name, selector, longestSelector)
			}
		}
	}
	rules, err := override.Compile(override.Site{Keep: s.Keep, Remove: s.Remove, Ignore: s.Ignore, KeepKinds: s.KeepKinds, DropKinds: s.DropKinds})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if len(s.Keep)+len(s.Remove)+len(s.Ignore) == 0 {
		return &Site{settings: s, policy: rules}, nil
	}
	return &Site{settings: s, policy: rules, rules: rules}, nil
}

// Site is the settings of one site, ready for use. It is read-only; a nil Site leaves everything to the configuration.
type Site struct {
	settings Settings
	// policy has the kinds. rules is nil where there are no selectors.
	policy, rules *override.Rules
}

// Mode returns the mode of the site. ok is false where the configuration decides.
func (s *Site) Mode() (mode page.Mode, ok bool) {
	if s == nil || s.settings.Mode == nil {
		return page.ModeOff, false
	}
	return *s.settings.Mode, true
}

// Bypass reports whether the site is left alone.
func (s *Site) Bypass() bool { return s != nil && s.settings.Bypass }

// Policy returns the policy of the site: what is set of kinds, on top of the configuration's policy.
func (s *Site) Policy(configured policy.Policy) policy.Policy {
	if s == nil {
		return configured
	}
	return s.policy.Policy(configured)
}

// Rules returns the rules by selector, nil where there are none.
func (s *Site) Rules() *override.Rules {
	if s == nil {
		return nil
	}
	return s.rules
}
