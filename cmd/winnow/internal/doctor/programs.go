package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
)

// shownHosts is how many hosts a finding names.
const shownHosts = 5

// programs checks whether programs refuse the certificates of the running winnow: what they ask for is not cleaned.
func (d *doctor) programs(ctx context.Context) Finding {
	client := running.Find(d.Data)
	if !d.running || client == nil {
		return found(Skipped, "winnow does not run with this data folder", "")
	}
	entries, err := client.Passthrough(ctx)
	if err != nil {
		return found(Skipped, "the running winnow does not say which programs refuse its certificates: "+err.Error(), "")
	}
	if len(entries) == 0 {
		return found(OK, "no program refuses the certificates of the running winnow", "")
	}
	var all []string
	for _, e := range entries[:min(len(entries), shownHosts)] {
		all = append(all, fmt.Sprintf("%s for program %s of %s, until %s", e.Host, e.Program, e.Client, e.Until.Format("15:04")))
	}
	if more := len(entries) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	return found(Warn, "hosts pass uncleaned, because a program refuses winnow's certificate: "+strings.Join(all, "; "),
		"install the CA in that program (winnow ca export), or leave the host to it with --bypass; other programs get cleaned pages")
}
