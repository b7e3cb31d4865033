package pipeline

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/proxy/hostname"
	"github.com/winnow-proxy/winnow/proxy/pictures"
	"github.com/winnow-proxy/winnow/proxy/savings"
)

// Pictures of clients in the modes lite and vintage are made smaller; for vintage, they also become GIF or JPEG.
// Whatever goes wrong, the picture passes as it is.

// widthFields are the request fields in which a client says how wide a picture or its screen is (Client Hints:
// Responsive Image Client Hints §3, with the names of the drafts before).
func widthFields() []string {
	return []string{"Sec-Ch-Width", "Width", "Sec-Ch-Viewport-Width", "Viewport-Width"}
}

// minPicture is the size below which a picture is left alone unread, if its kind may stay.
const minPicture = 4 << 10

// askForPicture notes that a request is for a picture which is to be made smaller, and asks the origin for one that can
// be.
func (x *Job) askForPicture(h http.Header, mode page.Mode, asked bool) {
	if x.pl.opts.Pictures == nil || x.method != http.MethodGet || h.Get("Range") != "" || hasDirective(h, "no-transform") {
		return
	}
	switch x.pictureMode(h, mode, asked) {
	case page.ModeLite:
		x.smaller = asksForPicture(h)
	case page.ModeVintage: // old browsers ask for everything with the same fields
		x.smaller = h.Get("Sec-Fetch-Dest") == "" || asksForPicture(h)
		x.vintage = x.smaller
	}
	if !x.smaller {
		return
	}
	for _, field := range widthFields() {
		if n, err := strconv.Atoi(h.Get(field)); err == nil && n > 0 && x.width == 0 {
			x.width = n
		}
	}
	accepted := slices.DeleteFunc(elements(h["Accept"]), func(e string) bool {
		e = strings.ToLower(e)
		return strings.HasPrefix(e, "image/avif") || strings.HasPrefix(e, "image/jxl")
	})
	if len(accepted) > 0 {
		h["Accept"] = []string{strings.Join(accepted, ", ")}
	}
}

// asksForPicture reports whether a page that shows a picture asks for it.
func asksForPicture(h http.Header) bool {
	if dest := h.Get("Sec-Fetch-Dest"); dest != "" {
		return dest == "image"
	}
	accepted := elements(h["Accept"])
	return len(accepted) > 0 && strings.HasPrefix(accepted[0], "image/")
}

// pictureMode returns the mode of the page that a picture belongs to: the client says so, its device wants it
// everywhere, it is one of the old browsers, or it is set for the site of the picture, for the site that shows it, or
// for all. mode is what was asked for.
func (x *Job) pictureMode(h http.Header, mode page.Mode, asked bool) page.Mode {
	if asked || mode == page.ModeVintage {
		return mode
	}
	if device, ok := x.pl.opts.DeviceMode(x.ctx); ok {
		return device
	}
	if from, err := url.Parse(h.Get("Referer")); err == nil && from.Host != "" {
		if site, err := hostname.SiteOf(from); err == nil {
			return x.pl.modeOf(site)
		}
	}
	return x.pl.modeOf(x.host)
}

// shrink puts a smaller picture in the place of that in resp. It returns false where resp goes out as it is.
func (x *Job) shrink(resp *http.Response) bool {
	h, limit := resp.Header, int64(x.pl.opts.Limits.Body)
	codings, known := contentCodings(h)
	kind := mediaTypeOf(h)
	least := int64(minPicture)
	if x.vintage && kind != "image/jpeg" && kind != "image/gif" {
		least = 1
	}
	if !known || len(codings) > 0 || !pictures.CanDecode(kind) || hasDirective(h, "no-transform") || h.Get("Content-Range") != "" ||
		resp.Body == nil || resp.ContentLength > limit || resp.ContentLength >= 0 && resp.ContentLength < least {
		return false
	}
	body := hold(resp.Body, resp.ContentLength, limit, x.account())
	resp.Body = body
	src, reason, err := body.wait(x.ctx, x.pl.opts.Limits.Read)
	if reason != "" {
		x.pl.opts.Logger.DebugContext(x.ctx, "picture passed", "reason", reason, "error", err)
		return false
	}
	before := len(src)
	remake := x.pl.opts.Pictures.Shrink
	if x.vintage {
		remake = x.pl.opts.Pictures.Convert
	}
	watch := x.pl.watch("picture", x, x.pl.opts.Limits.Wait+x.pl.opts.Limits.Clean)
	defer watch.end()
	small, kind, err := remake(x.ctx, x.client, src, x.width)
	if err != nil {
		if !errors.Is(err, pictures.ErrSmall) {
			x.pl.opts.Logger.DebugContext(x.ctx, "picture passed", "error", err)
		}
		return false
	}
	resp.Header = pictureHeader(h, kind, before, len(small))
	x.replaceBody(resp, small)
	x.pl.count(x.ctx, "scaled", "")
	if x.pl.opts.Metrics.Saved != nil {
		x.pl.opts.Metrics.Saved(x.host, savings.Sum{Pictures: 1, In: int64(before), Out: int64(len(small))})
	}
	return true
}

// pictureHeader returns the header of a smaller picture, made from the origin's. Its validators go: they are of other
// bytes, and a client that wants the picture whole must get it.
func pictureHeader(origin http.Header, kind string, before, after int) http.Header {
	h := origin.Clone()
	dropIntegrity(h)
	for _, field := range []string{"Etag", "Last-Modified", "Content-Location"} {
		h.Del(field)
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(after))
	h.Set(resultHeader, fmt.Sprintf("scaled; bytes=%d; of=%d", after, before))
	addVary(h, append(widthFields(), modeHeader, "Accept", "Sec-Fetch-Dest")...)
	return h
}
