package admin

import (
	"errors"
	"net/http"
	"time"

	"github.com/winnow-proxy/winnow/cache"
	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/proxy/accesslog"
	"github.com/winnow-proxy/winnow/proxy/intercept"
	"github.com/winnow-proxy/winnow/proxy/metrics"
	"github.com/winnow-proxy/winnow/proxy/metrics/prom"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/recent"
	"github.com/winnow-proxy/winnow/proxy/savings"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

// busy are the options of a proxy that has much to tell.
func busy() Options {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	models := newFakeModels()
	models.hosts = nil
	book := savings.NewBook(func() time.Time { return now })
	for day := range 6 {
		now = time.Date(2026, 11, 15+day, 12, 0, 0, 0, time.UTC)
		for i, host := range []string{"news.example", "a-rather-long-name-of-a-site.with.many.labels.example", "shop.example:8443", "wiki.example"} {
			book.Add(host, savings.Sum{Pages: int64(10 + day*7 + i), Blocks: 300, In: int64(900_000 * (i + 1)), Out: int64(320_000 + day*80_000), Characters: 90_000})
		}
	}
	for i, host := range []string{"news.example", "a-rather-long-name-of-a-site.with.many.labels.example", "shop.example:8443", "wiki.example"} {
		models.hosts = append(models.hosts, cache.HostInfo{Host: host, Stats: model.Stats{Pages: 1234 / (i + 1), Bytes: 345_678 / (i + 1),
			LastSeen: now.Add(-time.Duration(i) * time.Hour), Taught: i % 2}, InMemory: true})
	}
	models.health = cache.Health{Err: errors.New("save 3 host models: write /var/lib/winnow/models.db: no space left on device"), Since: now}
	registry := &prom.Registry{}
	m := metrics.New(registry)
	pipeline.Counting(m).Count("passed", pipeline.ReasonTimeout)
	m.Failures.WithLabelValues("dns").Add(12)
	last := &recent.Book{}
	for i, outcome := range []string{"cleaned; mode=auto; pages=12; removed=0.63", "passed; reason=mode-off", "failed; reason=dns", "passed; reason=type"} {
		last.Record(accesslog.Entry{Time: now.Add(time.Duration(i) * time.Second), Host: "news.example", Device: "192.168.1.20", Outcome: outcome})
	}
	devices, err := sites.OpenDevices("", []byte("secret"), func() time.Time { return now })
	if err != nil {
		panic(err) // it is in memory
	}
	return Options{Models: models, Savings: book, Recent: last, Devices: devices, Metrics: registry, Version: "1.4.0", Proxy: "127.0.0.1:8080", Site: http.NotFound,
		Passthrough: &fakePassthrough{entries: []*intercept.Entry{{Client: "192.168.1.20", Host: "app.example", Reason: "alert", Until: now.Add(time.Hour)}}},
		Started:     now.Add(-26 * time.Hour), Now: func() time.Time { return now }}
}
