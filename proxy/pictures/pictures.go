// Package pictures makes pictures small for small screens and slow networks: scaled to a width, and encoded anew within
// a number of bytes. For old browsers it also makes GIF and JPEG of other kinds.
package pictures

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"strings"
	"time"

	"golang.org/x/image/webp"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Options say how small pictures get. Zero fields take the defaults.
type Options struct {
	// Width is the most pixels from left to right, where the client names no width; default 640.
	Width int
	// Bytes is what a picture may take, as far as its quality allows; default 40,000.
	Bytes int
	// Pixels is the most that a picture may have to be decoded; default 12 million, which take up to 100 MB.
	Pixels int
	// Wait is how long a picture waits for its turn, default 2 seconds; Work is how long it is worked on, default 3.
	Wait, Work time.Duration
}

// Errors of Shrink and Convert. The picture is of use as it is.
var (
	// ErrKind says that the picture is of no kind that can be decoded here, or damaged.
	ErrKind = errors.New("not a picture that can be made smaller")
	// ErrLarge says that it has too many pixels, or is drawn too many times.
	ErrLarge = errors.New("the picture has too many pixels or scans")
	// ErrTime says that it took too long.
	ErrTime = errors.New("the picture takes too long")
	// ErrSmall says that it is small enough, and of a kind that the client knows.
	ErrSmall = errors.New("the picture is small enough")
)

// Shrinker makes pictures small. It is safe for concurrent use.
//
// Pictures are of two classes, so that those of a page do not wait for a large one: of these, one is made at a time,
// for its memory. Of the others, as many are made as there are processors.
type Shrinker struct {
	Options
	small, large *access.Turns
}

// largePicture is the number of pixels from which a picture is large.
const largePicture = 2_000_000

// New returns a shrinker.
func New(o Options) *Shrinker {
	o.Width, o.Bytes = cmp.Or(max(0, o.Width), 640), cmp.Or(max(0, o.Bytes), 40_000)
	o.Pixels = cmp.Or(max(0, o.Pixels), 12_000_000)
	o.Wait, o.Work = cmp.Or(o.Wait, 2*time.Second), cmp.Or(o.Work, 3*time.Second)
	return &Shrinker{o, access.NewTurns(runtime.GOMAXPROCS(0), 1, time.Now), access.NewTurns(1, 0, time.Now)}
}

// minWidth is what no picture is scaled below to save bytes.
const minWidth = 120

// CanDecode reports whether a media type (lower case) is one of those that Shrink decodes.
func CanDecode(mediaType string) bool {
	switch mediaType {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// Shrink returns src as a JPEG or PNG of at most the given width, 0 for that of the options. Of a picture that moves
// it returns the first. It waits for its turn, by client, and ends with ctx. The errors are ErrKind, ErrLarge,
// ErrSmall and ErrTime (wrapped), or that of ctx.
func (s *Shrinker) Shrink(ctx context.Context, client string, src []byte, width int) (out []byte, mediaType string, err error) {
	return s.remake(ctx, client, src, width, remaking{write, ""})
}

// Convert is Shrink for browsers that know GIF and JPEG alone: pictures of other kinds become one of these, also where
// that takes more bytes.
func (s *Shrinker) Convert(ctx context.Context, client string, src []byte, width int) (out []byte, mediaType string, err error) {
	return s.remake(ctx, client, src, width, remaking{writeVintage, "image/png image/webp"})
}

// remaking says how pictures are written, and which kinds do not stay as they are.
type remaking struct {
	write   encoder
	convert string
}

func (s *Shrinker) remake(ctx context.Context, client string, src []byte, width int, by remaking) (out []byte, mediaType string, err error) {
	if width <= 0 || width > s.Width {
		width = s.Width
	}
	found, err := sniff(src)
	if err != nil {
		return nil, "", err
	}
	mayStay := !strings.Contains(by.convert, found.mediaType)
	switch config := found.config; {
	case config.Width <= 0 || config.Height <= 0 || config.Width > s.Pixels/config.Height || found.work(src) > maxScans*s.Pixels:
		return nil, "", fmt.Errorf("%w: %d×%d", ErrLarge, config.Width, config.Height)
	case mayStay && config.Width <= width && len(src) <= s.Bytes:
		return nil, "", ErrSmall
	}
	leave, err := s.enter(ctx, client, found.config)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	ctx, cancel := context.WithTimeoutCause(ctx, s.Work, ErrTime)
	defer cancel()
	m, err := found.decode(&reader{ctx, bytes.NewReader(src)})
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", fmt.Errorf("decoding a picture of %d bytes: %w", len(src), context.Cause(ctx))
		}
		return nil, "", fmt.Errorf("%w: %w", ErrKind, err)
	}
	drawn := m.Bounds() // the first frame of a GIF may be smaller than the whole
	if drawn.Empty() {
		return nil, "", fmt.Errorf("%w: it is empty", ErrKind)
	}
	if out, mediaType, err = s.encode(ctx, m, min(width, drawn.Dx()), by.write); err != nil {
		return nil, "", err
	}
	if mayStay && len(out) > len(src)*9/10 {
		return nil, "", ErrSmall
	}
	return out, mediaType, nil
}

// enter waits for a turn.
func (s *Shrinker) enter(ctx context.Context, client string, config image.Config) (leave func(), err error) {
	turns := s.small
	if config.Width*config.Height > largePicture {
		turns = s.large
	}
	waiting, cancel := context.WithTimeout(ctx, s.Wait)
	defer cancel()
	if leave, err = turns.Enter(waiting, client); err != nil {
		return nil, fmt.Errorf("other pictures are being made smaller: %w", err)
	}
	return leave, nil
}

// reader reads a picture until its context ends. Decoders can't be interrupted otherwise.
type reader struct {
	ctx  context.Context
	from *bytes.Reader
}

// Read implements io.Reader. A few bytes may be much work, so that it returns no more at once.
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	const few = 256
	return r.from.Read(b[:min(len(b), few)])
}

// picture is what the head of a picture says.
type picture struct {
	mediaType string
	config    image.Config
	decode    func(io.Reader) (image.Image, error)
}

// sniff reads the head of a picture. By its bytes alone, since types on the web are often wrong.
func sniff(src []byte) (p picture, err error) {
	var configOf func(io.Reader) (image.Config, error)
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xd8\xff")):
		if turned(src) {
			return p, fmt.Errorf("%w: it is shown turned", ErrKind)
		}
		p.mediaType, p.decode, configOf = "image/jpeg", jpeg.Decode, jpeg.DecodeConfig
	case bytes.HasPrefix(src, []byte("\x89PNG\r\n\x1a\n")):
		p.mediaType, p.decode, configOf = "image/png", png.Decode, png.DecodeConfig
	case bytes.HasPrefix(src, []byte("GIF8")):
		p.mediaType, p.decode, configOf = "image/gif", gif.Decode, gif.DecodeConfig
	case len(src) > 12 && string(src[:4]) == "RIFF" && string(src[8:12]) == "WEBP":
		p.mediaType, p.decode, configOf = "image/webp", webp.Decode, webp.DecodeConfig
	default:
		return p, ErrKind
	}
	if p.config, err = configOf(bytes.NewReader(src)); err != nil {
		return p, fmt.Errorf("%w: %w", ErrKind, err)
	}
	return p, nil
}

// encoder writes a picture in a quality (as of JPEG, 1 to 100).
type encoder func(m *image.RGBA, quality int) (out []byte, mediaType string, err error)

// encode writes m, scaled to a width, in the quality that fits the bytes; where none does, narrower.
func (s *Shrinker) encode(ctx context.Context, m image.Image, width int, write encoder) (out []byte, mediaType string, err error) {
	for {
		if ctx.Err() != nil {
			return nil, "", fmt.Errorf("encoding a picture: %w", context.Cause(ctx))
		}
		small := scaled(m, width)
		for _, quality := range []int{75, 60, 45} {
			if out, mediaType, err = write(small, quality); err != nil || len(out) <= s.Bytes || mediaType != "image/jpeg" {
				break
			}
		}
		next := width * 3 / 4
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w", ErrKind, err)
		}
		if len(out) <= s.Bytes || next < minWidth {
			return out, mediaType, nil
		}
		m, width = small, next
	}
}

// write encodes m as a JPEG, or as a PNG where it can be seen through.
func write(m *image.RGBA, quality int) ([]byte, string, error) {
	var b bytes.Buffer
	if m.Opaque() {
		err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality})
		return b.Bytes(), "image/jpeg", err
	}
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	return b.Bytes(), "image/png", err
}
