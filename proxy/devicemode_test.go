package proxy

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/choice"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

// Somebody chooses the original on winnow's own page, and gets it on every site, in this browser and no program; what
// is chosen for a single site goes before it, and the choice can be taken back.
func TestADeviceChoosesForAllSites(t *testing.T) {
	r := newWorld(t, withTeaching(t, everybody))
	sites := []string{r.origin("127.0.1.1", servePromises), r.origin("127.0.1.2", servePromises)}
	b := browsertest.StartBehind(t, r.addr)
	hasBar := func(site string) bool {
		t.Helper()
		_, body := browse(t, r.client(false), site+"/1", "document") // the same device, as winnow knows it
		if !strings.Contains(body, "A story that is long enough") {
			t.Fatalf("%s: %s", site, body)
		}
		return strings.Contains(body, "Cleaned by winnow")
	}
	choose := func(mode string) {
		t.Helper()
		if title, err := b.Fill(t.Context(), "http://winnow.internal/", map[string]string{mode: "on"}, "Choose"); err != nil || !strings.Contains(title, "winnow") {
			t.Fatalf("%q, %v", title, err)
		}
	}
	for _, c := range []struct {
		mode string
		bar  bool
	}{{"Cleaned", true}, {"Original", false}, {"Cleaned", true}} {
		choose(c.mode)
		for _, site := range sites {
			if hasBar(site) != c.bar {
				t.Errorf("%s, %s: a bar is there: %v", c.mode, site, !c.bar)
			}
		}
	}
	choose("Original")
	if resp, _ := get(t, r.client(false), sites[0]+"/1"); !strings.HasPrefix(resp.Header.Get("Winnow"), "cleaned") {
		t.Errorf("a program gets %s", resp.Header.Get("Winnow"))
	}
	form := url.Values{"mode": {"reader"}}
	for name, header := range map[string][]string{"another site's form": {"Origin", "http://evil.test"}, "a form without its token": nil} {
		if resp := post(t, r.client(false), "http://winnow.internal/mode", form, header...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	_, body := get(t, r.client(false), "http://winnow.internal/")
	form = fields(t, body, "Choose")
	form.Set("mode", "json")
	if resp := post(t, r.client(false), "http://winnow.internal/mode", form); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a mode that devices can't choose: %s", resp.Status)
	}
}

// A browser whose device wants lite loads a tenth of a page with a photo, shows the photo, and gets it whole again once
// the device wants that.
func TestLitePicturesInABrowser(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 1600, 800))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(i/6400) ^ uint8(random.IntN(24))
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		t.Fatal(err)
	}
	models := testmodels.Of(t, "keep")
	devices, err := choice.OpenDevices("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Mode: page.ModeAuto, Logger: slog.New(slog.DiscardHandler),
		Pictures:   pictures.New(pictures.Options{Width: 400, Bytes: 20_000}),
		DeviceMode: func(ctx context.Context) (page.Mode, bool) { return devices.Mode(exchange.Device(ctx)) }})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorld(t, func(o *Options) { o.Pipeline, o.Devices = cleaner, devices })
	site := r.origin("127.0.1.1", func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, ".jpg") {
			w.Header().Set("Content-Type", "image/jpeg")
			_, _ = w.Write(photo.Bytes())
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<html><body><main><h1>At the harbour</h1><p>The first boats came in before four with herring, and by seven the ice was gone,
which has not happened since the cold spring.</p><img src="/photo.jpg" alt="the harbour"><p>The rest of the day was as any other, and ended as such days do.</p></main></body></html>`)
	})
	b := browsertest.StartBehind(t, r.addr)
	look := func() browsertest.View {
		t.Helper()
		v, err := b.Look(t.Context(), site+"/1")
		if err != nil || !strings.Contains(v.Text, "At the harbour") || len(v.Errors) > 0 {
			t.Fatalf("%q, %v, %v", v.Text, v.Errors, err)
		}
		return v
	}
	whole := look()
	if _, err := b.Fill(t.Context(), "http://winnow.internal/", map[string]string{"Lite": "on"}, "Choose"); err != nil {
		t.Fatal(err)
	}
	lite := look()
	if whole.Bytes < photo.Len() || lite.Bytes > whole.Bytes/10 {
		t.Errorf("%d bytes came, and %d in lite; the photo has %d", whole.Bytes, lite.Bytes, photo.Len())
	}
	if _, err := b.Fill(t.Context(), "http://winnow.internal/", map[string]string{"Cleaned": "on"}, "Choose"); err != nil {
		t.Fatal(err)
	}
	if again := look(); again.Bytes < photo.Len() {
		t.Errorf("%d bytes came after lite was taken back", again.Bytes)
	}
}
