package pipeline

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// noisyPhoto is a JPEG that compresses as badly as photos do.
func noisyPhoto(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.NRGBA{uint8(x*255/width) ^ uint8(random.IntN(24)), uint8(y * 255 / height), uint8(random.IntN(64)), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pictureOrigin serves a photo, half of it, and a text that says it is one.
func pictureOrigin(photo []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "image/jpeg")
		h.Set("Etag", `"origin"`)
		h.Set("Last-Modified", "Sun, 22 Nov 2026 00:00:00 GMT")
		h.Set("Cache-Control", req.URL.Query().Get("cache"))
		h.Set("Accept-Ranges", "bytes")
		switch req.URL.Path {
		case "/damaged.jpg":
			_, _ = w.Write(photo[:len(photo)/2])
		case "/text.jpg":
			_, _ = w.Write(bytes.Repeat([]byte("no picture at all "), 1000))
		default:
			_, _ = w.Write(photo)
		}
	}
}

// Pictures of pages in mode lite come scaled to the width that is asked for and within their bytes, whoever says that
// it is lite; validators of the origin's bytes go, and what is saved is counted.
func TestPicturesOfLitePagesAreSmaller(t *testing.T) {
	photo := noisyPhoto(t, 1200, 600)
	var device page.Mode
	var chosen bool
	var saved savings.Sum
	r := newRig(t, pictureOrigin(photo), func(o *Options) {
		o.Pictures = pictures.New(pictures.Options{Width: 320, Bytes: 20_000, Wait: time.Minute, Work: time.Minute})
		o.DeviceMode = func(context.Context) (page.Mode, bool) { return device, chosen }
		o.ModeOf = func(host string) (page.Mode, bool) { return page.ModeLite, host == "lite.example" }
		o.Metrics.Saved = func(_ string, s savings.Sum) { saved = s }
	})
	img := []string{"Sec-Fetch-Dest", "image", "Accept", "image/avif,image/webp,*/*;q=0.8"}
	for name, c := range map[string]struct {
		path   string
		device page.Mode
		fields []string
		width  int // 0 for the picture as it is
	}{
		"nothing says lite":       {"/a.jpg", page.ModeOff, img, 0},
		"the request says so":     {"/a.jpg", page.ModeOff, append([]string{"Winnow-Mode", "lite"}, img...), 320},
		"the device wants it":     {"/a.jpg", page.ModeLite, img, 320},
		"the page's site is lite": {"/a.jpg", page.ModeOff, append([]string{"Referer", "https://lite.example/1"}, img...), 320},
		"another site is":         {"/a.jpg", page.ModeOff, append([]string{"Referer", "https://full.example/1"}, img...), 0},
		"by HTTP alone":           {"/a.jpg", page.ModeLite, []string{"Accept", "image/webp,*/*;q=0.8"}, 320},
		"a narrow screen":         {"/a.jpg", page.ModeLite, append([]string{"Sec-CH-Viewport-Width", "200"}, img...), 200},
		"the device overruled":    {"/a.jpg", page.ModeLite, append([]string{"Winnow-Mode", "off"}, img...), 0},
		"a download":              {"/a.jpg", page.ModeLite, []string{"Accept", "*/*"}, 0},
		"a part of it":            {"/a.jpg", page.ModeLite, append([]string{"Range", "bytes=0-"}, img...), 0},
		"no-transform":            {"/a.jpg?cache=no-transform", page.ModeLite, img, 0},
		"damaged":                 {"/damaged.jpg", page.ModeLite, img, 0},
		"no picture":              {"/text.jpg", page.ModeLite, img, 0},
	} {
		device, chosen, saved = c.device, c.device != page.ModeOff, savings.Sum{}
		got := r.get(c.path, c.fields...)
		sent := <-r.upstream
		if c.width == 0 {
			want := r.direct(c.path)
			if !bytes.Equal(got.body, want.body) || got.Header.Get("Etag") != `"origin"` || saved.Pictures != 0 {
				t.Errorf("%s: %d bytes, want the origin's %d: %v", name, len(got.body), len(want.body), got.Header)
			}
			continue
		}
		config, kind, err := image.DecodeConfig(bytes.NewReader(got.body))
		if err != nil || config.Width > c.width || config.Width < c.width/3 || kind != "jpeg" || len(got.body) > 20_000 {
			t.Errorf("%s: %s, %d bytes, %+v, %v", name, kind, len(got.body), config, err)
		}
		h := got.Header
		if h.Get("Etag")+h.Get("Last-Modified")+h.Get("Accept-Ranges") != "" || !strings.HasPrefix(h.Get("Winnow"), "scaled; bytes=") ||
			!strings.Contains(strings.Join(h["Vary"], ","), "Sec-Ch-Viewport-Width") {
			t.Errorf("%s: header %v", name, h)
		}
		if strings.Contains(sent.Get("Accept"), "avif") {
			t.Errorf("%s: the origin may send %s", name, sent.Get("Accept"))
		}
		if saved != (savings.Sum{Pictures: 1, In: int64(len(photo)), Out: int64(len(got.body))}) {
			t.Errorf("%s: saved %+v", name, saved)
		}
	}
	if n := r.counts.of("scaled"); n != 5 {
		t.Errorf("%d pictures counted, want 5: %v", n, r.counts.n)
	}
	r.wantNothingCharged()
}
