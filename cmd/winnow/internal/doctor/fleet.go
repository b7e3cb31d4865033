package doctor

import (
	"context"
	"fmt"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
)

// fleet checks whether models can be shared with other replicas and, while winnow runs, how far this one is behind.
func (d *doctor) fleet(ctx context.Context) Finding {
	if client := running.Find(d.Data); d.running && client != nil {
		if s, err := client.Sharing(ctx); err == nil {
			return ofSharing(s)
		}
	}
	what, err := d.Fleet(ctx)
	if err != nil {
		return broken(err, "pages are cleaned and learned without it; check --store and its flags, and whether the server runs with JetStream")
	}
	return found(OK, what, "")
}

// ofSharing is the finding about a running winnow.
func ofSharing(s cache.Sharing) Finding {
	at := fmt.Sprintf("%s at %s", s.Stream, s.Server)
	switch {
	case !s.Connected:
		return found(Fail, fmt.Sprintf("models are not shared with %s: %s; %d changes wait to be sent", at, s.Error, s.Unsent),
			"pages are cleaned and learned without it; winnow catches up by itself once the cause is gone")
	case s.Error != "":
		return found(Fail, fmt.Sprintf("not all changes reach %s: %s; %d wait to be sent", at, s.Error, s.Unsent),
			"if the stream is full, give it more room, or let it discard old messages")
	case len(s.Skipped) > 0 || s.Dropped > 0:
		return found(Warn, fmt.Sprintf("models are shared with %s, but some messages could not be used %v, and %d changes were not sent",
			at, s.Skipped, s.Dropped), "give all replicas the same fleet-key, --detector and version; winnow's log says more")
	}
	return found(OK, fmt.Sprintf("models are shared with %s; %d changes behind, %d to send", at, s.Behind, s.Unsent), "")
}
