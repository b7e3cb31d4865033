//go:build full

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
	"strings"
	"testing"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/browsertest"
	"github.com/winnow-proxy/winnow/proxy/exchange"
	"github.com/winnow-proxy/winnow/proxy/internal/testmodels"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/pipeline"
	"github.com/winnow-proxy/winnow/proxy/sites"
)

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
	devices, err := sites.OpenDevices("", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	cleaner, err := pipeline.New(pipeline.Options{Models: models, Limits: testmodels.Patient(), Mode: page.ModeAuto, Logger: slog.New(slog.DiscardHandler),
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
