package proxy

import (
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// taught is a Models that notes who teaches it.
type taught struct {
	noModels
	mu  sync.Mutex
	who []string
}

// LearnFrom implements pipeline.Models.
func (m *taught) LearnFrom(client, _ string, _ *page.Page, _ model.Visit) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.who = append(m.who, client)
	return true
}

// Models are told of each page who has read it: a user by name, wherever they are, else a client by its address. A
// connection that is intercepted says the same as one that is not.
func TestModelsKnowWhoTeaches(t *testing.T) {
	from := func(c *http.Client, ip string) *http.Client {
		c.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}).DialContext
		return c
	}
	for _, users := range []bool{false, true} {
		models := &taught{}
		rw, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeRemove, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		tweaks, want := []func(*Options){func(o *Options) { o.Pipeline = rw }}, []string{"127.0.0.5", "127.0.0.5", "127.0.0.6", "127.0.0.6"}
		if users {
			tweaks, want = append(tweaks, withPasswords(t)), []string{"user ada", "user ada", "user bob", "user bob"}
		}
		r := newWorld(t, tweaks...)
		plain, secure := r.origin("127.0.1.1", lighthouses), r.secureOrigin("127.0.1.2", "light.test", lighthouses)
		for i, name := range []string{"ada", "bob"} {
			c := from(r.clientAs(false, name, []string{"secret", "word"}[i]), []string{"127.0.0.5", "127.0.0.6"}[i])
			getHTML(t, c, plain+"/fog")
			getHTML(t, c, secure+"/lamp")
		}
		r.end()
		if !slices.Equal(models.who, want) {
			t.Errorf("with passwords %v: taught by %q, want %q", users, models.who, want)
		}
	}
}
