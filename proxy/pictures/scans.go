package pictures

import "bytes"

// maxScans is how many times the pixels of the largest picture may be drawn. The usual progressive JPEG has ten scans.
const maxScans = 24

// work returns how many pixels are drawn to decode a picture. A progressive JPEG draws all of them in each scan
// (ISO/IEC 10918-1 §G.1.1), and a scan takes some ten bytes. Whatever looks like the head of a scan counts (§B.1.1.3):
// in data of a scan, such bytes never stand.
func (p picture) work(src []byte) int {
	pixels := p.config.Width * p.config.Height
	if p.mediaType != "image/jpeg" {
		return pixels
	}
	return pixels * max(1, bytes.Count(src, []byte("\xff\xda")))
}
