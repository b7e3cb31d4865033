package boltstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

// This file reads bbolt's format without bbolt: meta pages, then the tree of pages from the root, then the list of
// free pages (bbolt, internal/common: page.go, meta.go, bucket.go). Numbers are in the byte order of the machine.
//
//	page     id u64, flags u16, count u16, overflow u32; then elements, or a meta, or free page IDs
//	meta     magic u32, version u32, page size u32, flags u32, root u64, sequence u64, free list u64, pages u64,
//	         transaction u64, FNV-64a of the fields before u64
//	branch   elements: position u32, key size u32, page u64
//	leaf     elements: flags u32, position u32, key size u32, value size u32
//
// Positions count from the element. Only page headers, elements and keys are read, not the values, so that checking
// costs about one read a page.
const (
	headerSize  = 16
	elementSize = 16
	metaSize    = 64
	bucketSize  = 16 // root u64, sequence u64: the value of a bucket's element

	boltMagic   = 0xED0CDAED
	boltVersion = 2

	branchFlag   = 0x01
	leafFlag     = 0x02
	freelistFlag = 0x10
	bucketFlag   = 0x01

	// maxDepth is more than any tree of 2^48 pages has.
	maxDepth = 64
	// maxKey is bbolt's own limit.
	maxKey = 32768
)

// image is the bytes of a file. It may grow while it is read.
type image interface {
	io.ReaderAt
	// Size returns the length at the moment.
	Size() (int64, error)
}

// check checks that every page which bbolt can reach lies in the file, is what it says it is and is used once, and
// that its keys are in order.
func check(r image) error {
	_, err := survey(r)
	return err
}

// survey is check, and returns what it saw.
func survey(r image) (*checker, error) {
	m, err := readMeta(r)
	if err != nil {
		return nil, err
	}
	c := &checker{r: r, pageSize: int64(m.pageSize), pages: m.pages, used: make([]uint64, m.pages/64+1)}
	for id := range uint64(2) {
		c.used[0] |= 1 << id
	}
	if err := c.tree(m.root, nil, nil, 0); err != nil {
		return nil, err
	}
	return c, c.freelist(m.freelist)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

type meta struct {
	pageSize                           uint32
	root, freelist, pages, transaction uint64
}

// readMeta returns the meta page that bbolt will use: of the two, the valid one of the later transaction.
func readMeta(r image) (best meta, err error) {
	for _, offset := range metaOffsets(r) {
		m, ok := metaAt(r, offset)
		if ok && (best.pageSize == 0 || m.transaction > best.transaction) {
			best = m
		}
	}
	size, err := r.Size() // only now: a file grows first and gets its meta page afterwards
	switch {
	case err != nil:
		return best, err
	case best.pageSize == 0:
		return best, damaged("neither meta page is valid")
	case best.pageSize < 512 || best.pageSize > 1<<20:
		return best, damaged("pages of %d bytes", best.pageSize)
	case best.pages > uint64(size)/uint64(best.pageSize):
		return best, damaged("it should have %d pages but is cut short after %d bytes", best.pages, size)
	}
	return best, nil
}

// metaOffsets says where the two meta pages are. The second follows the first by the page size, which only a valid
// meta page tells; where the first is not valid, the sizes are tried as bbolt does.
func metaOffsets(r io.ReaderAt) []int64 {
	if m, ok := metaAt(r, 0); ok {
		return []int64{0, int64(m.pageSize)}
	}
	var offsets []int64
	for size := int64(1024); size <= 1<<24; size *= 2 {
		if m, ok := metaAt(r, size); ok && int64(m.pageSize) == size {
			offsets = append(offsets, size)
		}
	}
	return offsets
}

func metaAt(r io.ReaderAt, offset int64) (meta, bool) {
	b := make([]byte, headerSize+metaSize)
	if _, err := r.ReadAt(b, offset); err != nil {
		return meta{}, false
	}
	b = b[headerSize:]
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8]) // a hash never fails
	order := binary.NativeEndian
	if order.Uint32(b) != boltMagic || order.Uint32(b[4:]) != boltVersion || order.Uint64(b[metaSize-8:]) != sum.Sum64() {
		return meta{}, false
	}
	return meta{
		pageSize: order.Uint32(b[8:]), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		pages: order.Uint64(b[40:]), transaction: order.Uint64(b[48:]),
	}, true
}

// checker walks one file.
type checker struct {
	r        io.ReaderAt
	pageSize int64
	pages    uint64   // of the file; IDs are below
	used     []uint64 // a bit for each page seen
	live     []uint64 // the same without those that are listed as free
}

// isLive reports whether the page holds something that bbolt may read.
func (c *checker) isLive(id uint64) bool {
	return id/64 < uint64(len(c.live)) && c.live[id/64]&(1<<(id%64)) != 0
}

// use notes that the pages of p are in use. Each may be so once.
func (c *checker) use(p *pageReader) error {
	for id := p.id; id <= p.id+uint64(p.overflow); id++ {
		if c.used[id/64]&(1<<(id%64)) != 0 {
			return damaged("page %d is in use twice", id)
		}
		c.used[id/64] |= 1 << (id % 64)
	}
	return nil
}

// tree checks the page id and all below. The first key must be low, and all below high, unless they are nil.
func (c *checker) tree(id uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return damaged("page %d is too deep", id)
	}
	p, err := c.open(id)
	if err != nil {
		return err
	}
	if err := c.use(p); err != nil {
		return err
	}
	switch p.flags {
	case branchFlag:
		return c.branch(p, low, high, depth)
	case leafFlag:
		return c.leaf(p, low, high, depth)
	}
	return damaged("page %d is neither branch nor leaf (%#x)", id, p.flags)
}

func (c *checker) branch(p *pageReader, low, high []byte, depth int) error {
	if p.count == 0 {
		return damaged("branch page %d is empty", p.id)
	}
	keys, err := p.keys(low, high)
	if err != nil {
		return err
	}
	for i := range keys {
		e, err := p.element(i)
		if err != nil {
			return err
		}
		below := high
		if i+1 < len(keys) {
			below = keys[i+1]
		}
		if err := c.tree(binary.NativeEndian.Uint64(e[8:]), keys[i], below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) leaf(p *pageReader, low, high []byte, depth int) error {
	if _, err := p.keys(low, high); err != nil {
		return err
	}
	for i := range int(p.count) {
		value, isBucket, err := p.value(i)
		if err == nil && isBucket {
			err = c.bucket(p, value, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucket checks the bucket whose header is in the given part of p: a tree of its own or, when small, a leaf page
// inside the value.
func (c *checker) bucket(p *pageReader, value part, depth int) error {
	if value.size < bucketSize {
		return damaged("a bucket in page %d has no header", p.id)
	}
	header, err := p.read(part{value.offset, bucketSize})
	if err != nil {
		return err
	}
	if root := binary.NativeEndian.Uint64(header); root != 0 {
		return c.tree(root, nil, nil, depth+1)
	}
	inline, err := p.inline(part{value.offset + bucketSize, value.size - bucketSize})
	if err != nil {
		return err
	}
	if inline.flags != leafFlag {
		return damaged("the inline bucket in page %d is no leaf (%#x)", p.id, inline.flags)
	}
	keys, err := inline.keys(nil, nil)
	for i := range keys {
		_, isBucket, err := inline.value(i)
		if err != nil {
			return err
		}
		if isBucket {
			return damaged("the inline bucket in page %d has buckets", p.id)
		}
	}
	return err
}

// freelist checks the list of free pages: none of them may be in use.
func (c *checker) freelist(id uint64) error {
	p, err := c.open(id)
	if err != nil {
		return err
	}
	if err := c.use(p); err != nil {
		return err
	}
	c.live = slices.Clone(c.used)
	if p.flags != freelistFlag {
		return damaged("page %d should be the list of free pages (%#x)", id, p.flags)
	}
	at, count := int64(headerSize), int64(p.count)
	if p.count == 0xFFFF { // the number did not fit and stands first
		first, err := p.read(part{at, 8})
		if err != nil {
			return err
		}
		at += 8
		count = int64(binary.NativeEndian.Uint64(first))
	}
	if count < 0 || count > p.size/8 {
		return damaged("a list of %d free pages does not fit into page %d", count, id)
	}
	ids, err := p.read(part{at, 8 * count})
	if err != nil {
		return err
	}
	for ; len(ids) > 0; ids = ids[8:] {
		free := &pageReader{id: binary.NativeEndian.Uint64(ids)}
		if free.id < 2 || free.id >= c.pages {
			return damaged("free page %d is not in the file", free.id)
		}
		if err := c.use(free); err != nil {
			return err
		}
	}
	return nil
}

// inOrder checks the keys of one page: they rise, from low to below high. That the first one is low, the key by which
// the page above refers to this one, is what bbolt relies on when it writes: else it would add a second reference
// beside the old.
func inOrder(keys [][]byte, low, high []byte) bool {
	if low != nil && (len(keys) == 0 || !bytes.Equal(keys[0], low)) {
		return false
	}
	for i, k := range keys {
		if i > 0 && bytes.Compare(keys[i-1], k) >= 0 || high != nil && bytes.Compare(k, high) >= 0 {
			return false
		}
	}
	return true
}
