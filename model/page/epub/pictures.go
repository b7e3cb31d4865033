package epub

import (
	"fmt"
	"net/http"
)

// Bounds of the pictures of a book.
const (
	mostPictures     = 1000
	mostPictureBytes = 8 << 20
	mostBytes        = 128 << 20
)

// pictures are those of a book. byAddress has an empty name for what could not be had.
type pictures struct {
	get       Images
	byAddress map[string]string
	found     []picture
	size      int
}

type picture struct {
	name, mediaType string
	data            []byte
}

// extensions are of the kinds of pictures that every reader of books can show (EPUB 3.3 §3.2).
func extensions(mediaType string) (extension string, ok bool) {
	extension, ok = map[string]string{"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif"}[mediaType]
	return extension, ok
}

// file returns the name in the book of the picture at an address.
func (p *pictures) file(address string) (name string, ok bool) {
	if address == "" || p.get == nil {
		return "", false
	}
	name, known := p.byAddress[address]
	if !known && len(p.byAddress) < mostPictures {
		name = p.add(address)
		p.byAddress[address] = name
	}
	return name, name != ""
}

func (p *pictures) add(address string) (name string) {
	data, ok := p.get(address)
	if !ok || len(data) > mostPictureBytes || p.size+len(data) > mostBytes {
		return ""
	}
	mediaType := http.DetectContentType(data)
	extension, ok := extensions(mediaType)
	if !ok {
		return ""
	}
	p.size += len(data)
	name = fmt.Sprintf("images/%d%s", len(p.found)+1, extension)
	p.found = append(p.found, picture{name, mediaType, data})
	return name
}
