// Package doctor checks what winnow serve needs, and says how to fix what it finds.
package doctor

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Results of a check. A warning is for something that may be intended.
const (
	OK      = "ok"
	Warn    = "warn"
	Fail    = "fail"
	Skipped = "skipped"
)

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	// Detail says what was found, Do how to fix it.
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"`
}

func found(result, detail, do string) Finding { return Finding{Result: result, Detail: detail, Do: do} }

// broken is the finding for an error. Its text often says what to do.
func broken(err error, do string) Finding {
	return found(Fail, strings.Join(strings.Fields(err.Error()), " "), do)
}

// Options are the settings of winnow serve that the checks need.
type Options struct {
	// Data is the folder with models and CA, Listen and Admin the addresses. Admin is empty for none.
	Data, Listen, Admin string
	// Probe is the address to fetch, empty for none.
	Probe string
	// Timeout bounds each check that uses the network.
	Timeout time.Duration
	// Fleet looks for the stream of the fleet and describes it. It is nil where models are not shared.
	Fleet func(context.Context) (string, error)
	// Transport returns the transport to origins.
	Transport func() (*http.Transport, error)
	Now       func() time.Time
}

// doctor runs the checks.
type doctor struct {
	Options
	// running says that winnow answers at the admin address.
	running bool
	// unsaved is why that winnow can't save what it learns, empty where it can.
	unsaved string
	// closed says that the data folder can't be read.
	closed bool
}

// Examine runs the checks in order: later ones use results of earlier ones. It changes nothing.
func Examine(ctx context.Context, o Options) []Finding {
	d := &doctor{Options: o}
	var findings []Finding
	for _, check := range d.checks() {
		ctx, cancel := context.WithTimeout(ctx, d.Timeout)
		f := check.run(ctx)
		cancel()
		f.Check = check.name
		findings = append(findings, f)
	}
	return findings
}

// check is one of the checks.
type check struct {
	name string
	run  func(context.Context) Finding
}

func (d *doctor) checks() []check {
	checks := []check{{"admin address", d.adminAddress}, {"proxy address", d.proxyAddress}, {"data folder", d.dataFolder}, {"CA", d.ca},
		{"programs", d.programs}, {"store", d.store}, {"origins and clock", d.origins}}
	if d.Fleet != nil {
		checks = append(checks, check{"fleet", d.fleet})
	}
	return checks
}
