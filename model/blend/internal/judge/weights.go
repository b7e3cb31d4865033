package judge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/winnow-proxy/winnow/model/blend/internal/decision"
	"github.com/winnow-proxy/winnow/model/blend/internal/features"
	"github.com/winnow-proxy/winnow/model/blend/internal/forest"
	"github.com/winnow-proxy/winnow/model/blend/internal/view"
	"github.com/winnow-proxy/winnow/model/blend/internal/vocab"
)

// Stages is the number of forests that the weights have.
func (w *Weights) Stages() int {
	switch {
	case w.Page == nil:
		return 0
	case w.Full == nil:
		return 1
	}
	return 2
}

// Tune changes the parameters of the decision, in order to choose them: a price that is not negative replaces the old
// one, and lean is added.
func (w *Weights) Tune(price, lean float64) {
	if price >= 0 {
		w.Price = float32(price)
	}
	w.Lean += float32(lean)
}

// Weights are the result of the offline fit, stage by stage. Each stage is fitted on the results of the stage before
// for pages that this was not fitted on. During the fit the later stages are missing.
type Weights struct {
	decision.Parameters
	// Vocab is the meaning of names and words.
	Vocab *vocab.Vocabulary
	// Page scores a block by the page alone, full by page and host together. They are nil where they have not been
	// fitted.
	Page, Full *forest.Forest
	// Cuts are the thresholds of both.
	Cuts *forest.CutTable
	// Calibration maps the expected F1 of a decision to the F1 that such decisions had.
	Calibration decision.Calibration
	// trees are those that are not in use.
	trees sync.Pool
}

// treeOf returns the tree for the labels of a page.
func (w *Weights) treeOf(v *view.Page) *decision.Tree {
	t, ok := w.trees.Get().(*decision.Tree)
	if !ok {
		t = w.NewTree()
	}
	t.Parameters = w.Parameters // the fit changes them
	t.Read(v.Doc, func(block int) int32 { return v.Blocks[block].Words })
	return t
}

// release keeps the memory of a tree, which may be nil.
func (w *Weights) release(t *decision.Tree) {
	if t.IsSmall() {
		w.trees.Put(t)
	}
}

// magic starts a weights file; its digit is the version of the form.
const magic = "winnow-blend-2\n"

// Errors of weights files.
var (
	errWeights  = errors.New("not a weights file of this version")
	errFeatures = errors.New("the weights were fitted on other features: fit them again")
)

// LoadWeights reads a weights file from fit.py, compressed with gzip or not.
func LoadWeights(file string) (*Weights, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("weights: %w", err)
	}
	w, err := Read(b)
	if err != nil {
		return nil, fmt.Errorf("weights %s: %w", file, err)
	}
	return w, nil
}

// maxWeights is the most bytes of an uncompressed weights file.
const maxWeights = 64 << 20

// Read reads a weights file. The embedded one is compressed, which halves its size in the program.
func Read(b []byte) (*Weights, error) {
	if bytes.HasPrefix(b, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		var plain bytes.Buffer
		plain.Grow(3*len(b) + bytes.MinRead)
		if _, err := plain.ReadFrom(io.LimitReader(z, maxWeights)); err != nil {
			return nil, err
		}
		b = plain.Bytes()
	}
	return decode(b)
}

// decode reads magic; the hash of the names of the features, little-endian like all numbers; price, lean and
// power of the decision as floats; the number of names, and for each its length in a byte, the name, and its log-odds
// in 1/16 as a signed byte; up to two forests; and after the second the calibration: the number of knots, and both
// values of each as floats.
func decode(b []byte) (*Weights, error) {
	b, ok := bytes.CutPrefix(b, []byte(magic))
	if !ok || len(b) < 8+16 {
		return nil, errWeights
	}
	if binary.LittleEndian.Uint64(b) != features.All().Hash {
		return nil, errFeatures
	}
	b = b[8:]
	w := &Weights{Parameters: decision.Parameters{Price: forest.Float32At(b), Lean: forest.Float32At(b[4:]), Power: forest.Float32At(b[8:])}}
	var err error
	if b, err = w.decodeNames(b[12:]); err != nil {
		return nil, err
	}
	if b, err = w.decodeForests(b); err != nil {
		return nil, err
	}
	if len(b) > 0 {
		if w.Calibration, b, err = decodeCalibration(b); err != nil {
			return nil, err
		}
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", errWeights, len(b))
	}
	return w, nil
}

// decodeForests reads the forests that there are.
func (w *Weights) decodeForests(b []byte) ([]byte, error) {
	widths := Widths()
	var forests []forest.EncodedForest
	for len(forests) < len(widths) && len(b) > 0 {
		f, rest, err := forest.DecodeForest(b, widths[len(forests)])
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", len(forests)+1, err)
		}
		forests, b = append(forests, f), rest
	}
	w.Cuts = forest.NewCutTable(widths[1], forests...)
	for i, f := range forests {
		*[...]**forest.Forest{&w.Page, &w.Full}[i] = w.Cuts.Grow(f)
	}
	return b, nil
}

// decodeNames reads the vocabulary. The names are parts of one string.
func (w *Weights) decodeNames(b []byte) ([]byte, error) {
	count := binary.LittleEndian.Uint32(b)
	b = b[4:]
	rest, marks := string(b), map[byte]int{}
	for range count {
		if len(b) == 0 || b[0] == 0 || len(b) < int(b[0])+2 {
			return nil, fmt.Errorf("%w: a name is empty or cut off", errWeights)
		}
		end := int(b[0]) + 1
		marks[vocab.MarkOf(string(b[1:2]))]++
		b = b[end+1:]
	}
	rest = rest[:len(rest)-len(b)]
	w.Vocab = vocab.NewVocabulary(marks)
	for rest != "" {
		end := int(rest[0]) + 1
		w.Vocab.Learn(rest[1:end], int8(rest[end]))
		rest = rest[end+1:]
	}
	return b, nil
}

// Header is the start of a weights file: magic, the hash of the features, and a decision without a price. fit.py writes
// the real one.
func Header() []byte {
	return append(binary.LittleEndian.AppendUint64([]byte(magic), features.All().Hash), make([]byte, 12)...)
}

// Widths returns the number of features that the page and the full forest see.
func Widths() [2]int {
	names := features.All().Names
	return [2]int{len(names[0]), len(names[1])}
}
