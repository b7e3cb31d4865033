package boltstore

import (
	"encoding/binary"
	"fmt"
	"io"
)

// part is a range of bytes of a page.
type part struct{ offset, size int64 }

// pageReader reads one page with its overflow, or a page inside a value, and never outside of it.
type pageReader struct {
	id           uint64
	flags, count uint16
	overflow     uint32

	r          io.ReaderAt
	base, size int64 // where the page is in the file
	// head is what one read brought of it: the header and, mostly, all elements and keys.
	head []byte
}

// open reads the head of page id.
func (c *checker) open(id uint64) (*pageReader, error) {
	if id < 2 || id >= c.pages {
		return nil, damaged("page %d is not in the file", id)
	}
	p := &pageReader{r: c.r, base: int64(id) * c.pageSize, size: c.pageSize}
	if err := p.readHead(); err != nil {
		return nil, err
	}
	if p.id != id || uint64(p.overflow) >= c.pages-id {
		return nil, damaged("page %d says that it is %d with %d more", id, p.id, p.overflow)
	}
	p.size += int64(p.overflow) * c.pageSize
	return p, nil
}

// inline reads the head of a page inside p.
func (p *pageReader) inline(at part) (*pageReader, error) {
	if !p.has(at) {
		return nil, damaged("a bucket reaches out of page %d", p.id)
	}
	in := &pageReader{r: p.r, base: p.base + at.offset, size: at.size}
	if err := in.readHead(); err != nil {
		return nil, err
	}
	in.id = p.id // for messages: its own is 0
	return in, nil
}

func (p *pageReader) readHead() error {
	if p.size < headerSize {
		return damaged("no room for a page at %d", p.base)
	}
	p.head = make([]byte, min(p.size, 4096))
	if _, err := p.r.ReadAt(p.head, p.base); err != nil {
		return fmt.Errorf("read page at %d: %w", p.base, err)
	}
	order := binary.NativeEndian
	p.id, p.flags, p.count = order.Uint64(p.head), order.Uint16(p.head[8:]), order.Uint16(p.head[10:])
	p.overflow = order.Uint32(p.head[12:])
	return nil
}

func (p *pageReader) has(at part) bool {
	return at.offset >= 0 && at.size >= 0 && at.offset <= p.size && at.size <= p.size-at.offset
}

func (p *pageReader) read(at part) ([]byte, error) {
	if !p.has(at) {
		return nil, damaged("page %d is too short", p.id)
	}
	if end := at.offset + at.size; end <= int64(len(p.head)) {
		return p.head[at.offset:end], nil
	}
	b := make([]byte, at.size)
	if _, err := p.r.ReadAt(b, p.base+at.offset); err != nil {
		return nil, fmt.Errorf("read page at %d: %w", p.base, err)
	}
	return b, nil
}

func (p *pageReader) element(i int) ([]byte, error) {
	return p.read(part{headerSize + int64(i)*elementSize, elementSize})
}

// keys returns the keys of the page's elements, which must be in order.
func (p *pageReader) keys(low, high []byte) ([][]byte, error) {
	if !p.has(part{headerSize, int64(p.count) * elementSize}) {
		return nil, damaged("%d elements do not fit into page %d", p.count, p.id)
	}
	keys := make([][]byte, 0, p.count)
	for i := range int(p.count) {
		e, err := p.element(i)
		if err != nil {
			return nil, err
		}
		key, err := p.key(i, e)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	if !inOrder(keys, low, high) {
		return nil, damaged("the keys of page %d are out of order", p.id)
	}
	return keys, nil
}

func (p *pageReader) key(i int, element []byte) ([]byte, error) {
	order := binary.NativeEndian
	position, size := order.Uint32(element), order.Uint32(element[4:])
	if p.flags == leafFlag {
		position, size = order.Uint32(element[4:]), order.Uint32(element[8:])
	}
	if size == 0 || size > maxKey {
		return nil, damaged("page %d has a key of %d bytes", p.id, size)
	}
	return p.read(part{headerSize + int64(i)*elementSize + int64(position), int64(size)})
}

// value says where the value of a leaf's element is and whether it is a bucket.
func (p *pageReader) value(i int) (at part, isBucket bool, err error) {
	e, err := p.element(i)
	if err != nil {
		return at, false, err
	}
	order := binary.NativeEndian
	flags, position := order.Uint32(e), order.Uint32(e[4:])
	keySize, valueSize := order.Uint32(e[8:]), order.Uint32(e[12:])
	at = part{headerSize + int64(i)*elementSize + int64(position) + int64(keySize), int64(valueSize)}
	if !p.has(at) || flags&^bucketFlag != 0 {
		return at, false, damaged("a value reaches out of page %d", p.id)
	}
	return at, flags&bucketFlag != 0, nil
}
