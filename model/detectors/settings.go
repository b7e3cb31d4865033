package detectors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model"
)

// A name may carry settings, so that variants of a detector can be measured against each other:
//
//	name[:key[=value]]...      "purify:beta=0.65", "lines:published"

// settings are the parsed settings of one name.
type settings struct {
	given []setting
}

type setting struct {
	key, value string
	used       bool
}

// split separates the settings from a name.
func split(name string) (string, *settings) {
	parts := strings.Split(name, ":")
	s := &settings{}
	for _, p := range parts[1:] {
		key, value, _ := strings.Cut(p, "=")
		s.given = append(s.given, setting{key: key, value: value})
	}
	return parts[0], s
}

// find returns the setting of that key, or nil when it is not given.
func (s *settings) find(key string) *setting {
	if i := slices.IndexFunc(s.given, func(g setting) bool { return g.key == key }); i >= 0 {
		s.given[i].used = true
		return &s.given[i]
	}
	return nil
}

// flag reports whether key is given. The setting takes no value.
func (s *settings) flag(key string) (bool, error) {
	g := s.find(key)
	if g != nil && g.value != "" {
		return false, settingError(fmt.Sprintf("the setting %s takes no value", key))
	}
	return g != nil, nil
}

// share returns the value of key, a number in (0,1), or 0 when it is not given.
func (s *settings) share(key string) (float64, error) {
	g := s.find(key)
	if g == nil {
		return 0, nil
	}
	v, err := strconv.ParseFloat(g.value, 64)
	if err != nil || !(v > 0 && v < 1) {
		return 0, settingError(fmt.Sprintf("the setting %s=%s: want a number between 0 and 1", key, g.value))
	}
	return v, nil
}

// close returns an error for settings that the detector does not have.
func (s *settings) close(base string) error {
	for _, g := range s.given {
		if !g.used {
			return settingError(fmt.Sprintf("%s has no setting %q", base, g.key))
		}
	}
	return nil
}

// settingError describes a wrong setting. It is an ErrUnknown, because no detector has such a name.
type settingError string

func (e settingError) Error() string { return string(e) }

// Is makes errors.Is find ErrUnknown.
func (settingError) Is(target error) bool { return target == ErrUnknown }

// variant is a detector whose name has settings.
type variant struct {
	model.Detector
	name string
}

// Name is the whole name, including the settings.
func (v variant) Name() string { return v.name }
