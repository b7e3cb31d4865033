package epub

import (
	"bytes"
	"fmt"
)

// Bounds of the pictures of a book.
const (
	maxPictures     = 1000
	maxPictureBytes = 8 << 20
	maxBytes        = 128 << 20
)

// pictures are those of a book. They are written as they are found, so that no two are in memory at once. byAddress has
// an empty name for what could not be had.
type pictures struct {
	get       Images
	write     func(it item, data []byte) error
	err       error // of write; it ends the book
	byAddress map[string]string
	found     int
	size      int
}

// kinds are the kinds of pictures that every reader of books shows, by how their files begin.
func kinds() []struct{ begins, mediaType, extension string } {
	return []struct{ begins, mediaType, extension string }{
		{"\xff\xd8\xff", "image/jpeg", ".jpg"},
		{"\x89PNG\r\n\x1a\n", "image/png", ".png"},
		{"GIF8", "image/gif", ".gif"},
	}
}

// file returns the name in the book of the picture at an address that stands in a chapter.
func (p *pictures) file(in Chapter, address string) (name string, ok bool) {
	if address == "" || p.get == nil || p.err != nil {
		return "", false
	}
	name, known := p.byAddress[address]
	if !known && len(p.byAddress) < maxPictures {
		name = p.add(in, address)
		p.byAddress[address] = name
	}
	return name, name != ""
}

func (p *pictures) add(in Chapter, address string) (name string) {
	data, ok := p.get(in, address)
	if !ok || len(data) > maxPictureBytes || p.size+len(data) > maxBytes {
		return ""
	}
	for _, k := range kinds() {
		if bytes.HasPrefix(data, []byte(k.begins)) {
			p.size += len(data)
			p.found++
			name = fmt.Sprintf("images/%d%s", p.found, k.extension)
			p.err = p.write(item{fmt.Sprintf("i%d", p.found), name, k.mediaType, ""}, data)
			break
		}
	}
	return name
}
