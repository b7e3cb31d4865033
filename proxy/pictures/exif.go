package pictures

import (
	"bytes"
	"encoding/binary"
)

// turned reports whether a JPEG says that it is to be shown turned or mirrored (Exif 3.0 §4.6.5.1.6). Encoded anew it
// would lose the word of it, and lie on its side.
func turned(src []byte) bool {
	for at := 2; at+4 <= len(src) && src[at] == 0xff; {
		marker, size := src[at+1], int(binary.BigEndian.Uint16(src[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(src) { // the picture itself begins
			return false
		}
		if body, ok := bytes.CutPrefix(src[at+4:at+2+size], []byte("Exif\x00\x00")); marker == 0xe1 && ok {
			return orientation(body) > 1
		}
		at += 2 + size
	}
	return false
}

// orientation returns the value of the tag Orientation in a TIFF header's first directory, 0 where there is none.
func orientation(tiff []byte) uint16 {
	var order binary.ByteOrder
	switch {
	case len(tiff) < 8:
		return 0
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 0
	}
	first := int(order.Uint32(tiff[4:]))
	if first < 8 || first+2 > len(tiff) {
		return 0
	}
	entries := tiff[first+2:]
	for n := int(order.Uint16(tiff[first:])); n > 0 && len(entries) >= 12; n, entries = n-1, entries[12:] {
		if order.Uint16(entries) == 0x0112 {
			return order.Uint16(entries[8:])
		}
	}
	return 0
}
