package pipeline

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/winnow-proxy/winnow/model/page/edit"
	"github.com/winnow-proxy/winnow/model/page/write"
)

// A page that comes again, byte for byte, is cleaned as before, without parsing, judging and checking. For that, winnow
// keeps not the page but a recipe: where its bytes are cut and which markup is inserted, under a hash of the page. Each
// process has its own key for the hash. So winnow stores no word of a page, and nobody can find a recipe without the
// page.

// recipe says how a page was cleaned.
type recipe struct {
	edits   edit.Edits
	removed float64
	estimate
	content digest
	basis   basis
	made    time.Time
}

const (
	// recipesKept is the most recipes; each takes up to recipeBytes.
	recipesKept = 4096
	recipeBytes = 8 << 10
	// recipeLife is the lifetime of a recipe. After that, a page that keeps coming is judged and learned again, so that
	// its host stays known as one in use.
	recipeLife = 10 * time.Minute
)

// recipes are the recipes of recently cleaned pages. It is safe for concurrent use.
type recipes struct {
	key    [sha256.Size]byte
	byPage *lru.Cache[recipeKey, *recipe]
}

// recipeKey is a keyed hash of a page and of everything else that decides how to clean it.
type recipeKey string

func newRecipes() (*recipes, error) {
	byPage, err := lru.New[recipeKey, *recipe](recipesKept)
	if err != nil {
		return nil, err
	}
	r := &recipes{byPage: byPage}
	rand.Read(r.key[:]) // crypto/rand.Read never fails: it aborts the program instead
	return r, nil
}

// Stateful is an optional interface of Models, without which every page is judged again. *cache.Models implements it.
type Stateful interface {
	// State returns the number of pages in the model of host, and a number that changes whenever a model changes otherwise
	// than by learning pages. It returns false if that is unknown.
	State(host string) (pages int, epoch uint64, ok bool)
	// Reuse counts a page of host that was cleaned by a recipe.
	Reuse(host string)
}

// recipeState is the key of a page's recipe, and what the answer tells about the model. It is nil if the page must be
// judged.
type recipeState struct {
	key recipeKey
	judge
}

// stateOfRecipe returns the state of the page's recipe. Pages that need a quorum are always judged, because each client
// counts.
func (x *Job) stateOfRecipe() *recipeState {
	models, ok := x.pl.opts.Models.(Stateful)
	learns := x.mayLearn()
	if !ok || x.framed || !x.mode.Original() || learns && x.pl.quorum != nil {
		return nil
	}
	pages, epoch, ok := models.State(x.host)
	if !ok {
		return nil
	}
	s := &recipeState{judge: judge{pages: pages, gen: generationOf(pages)}}
	if x.shared() {
		s.judge = judge{gen: x.pl.epoch()}
	}
	s.key = x.pl.recipes.keyOf(x, x.variant(s.gen, 0), epoch, learns)
	return s
}

// keyOf hashes everything that decides how a page is cleaned. If clients share models, each client has its own recipes:
// the time of an answer must not reveal that somebody else has read the page.
func (r *recipes) keyOf(x *Job, v variant, epoch uint64, learns bool) recipeKey {
	h := sha256.New()
	h.Write(r.key[:])
	add := func(fields ...string) {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(fields))))
		for _, f := range fields {
			h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(f))))
			h.Write([]byte(f))
		}
	}
	add(x.host, x.url, v.String(), x.header.Get("Content-Type"))
	add(x.finalForm().CSP...)
	add(x.form.Bar)
	add(x.codings...)
	if x.shared() {
		add(x.client)
	}
	var flags byte
	if learns {
		flags = 1
	}
	b := append(make([]byte, 0, 32), flags)
	b = binary.LittleEndian.AppendUint64(b, epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(x.policy.Keep))
	h.Write(binary.LittleEndian.AppendUint64(b, uint64(x.policy.Drop)))
	hashAll(h, x.coded)
	return recipeKey(h.Sum(nil))
}

// find returns the recipe of a page, or nil if there is no valid one.
func (r *recipes) find(s *recipeState, now time.Time) *recipe {
	if s == nil {
		return nil
	}
	found, ok := r.byPage.Get(s.key)
	if !ok || now.Sub(found.made) > recipeLife {
		return nil
	}
	return found
}

// keep stores the recipe of a page that came out like this.
func (r *recipes) keep(s *recipeState, out *write.Output, made recipe) {
	if s != nil && out.Edits != nil && out.Edits.Bytes() <= recipeBytes {
		made.edits, made.removed = out.Edits, out.Removed
		r.byPage.Add(s.key, &made)
	}
}

// recall writes a page that comes again by its recipe.
func (x *Job) recall() (Reason, error) {
	x.recipe = x.stateOfRecipe()
	found := x.pl.recipes.find(x.recipe, x.pl.opts.Now())
	if found == nil || !x.pl.scripts.stands(found.basis) {
		return "", nil
	}
	x.pl.opts.Models.(Stateful).Reuse(x.host)
	if x.pl.opts.Metrics.Again != nil {
		x.pl.opts.Metrics.Again()
	}
	started := time.Now()
	x.out = &write.Output{Body: found.edits.Apply(x.src), Removed: found.removed}
	x.pl.timed("write", started)
	x.recalled, x.content, x.basis, x.judge = true, found.content, found.basis, x.recipe.judge
	x.judge.estimate = found.estimate
	return "", nil
}

// hashPiece is how much is hashed at once.
const hashPiece = 64 << 10

// hashAll writes b to h in pieces. A large page in one piece could not be interrupted, and the garbage collector, which
// stops all others first, would wait for its end.
func hashAll(h hash.Hash, b []byte) {
	for piece := range slices.Chunk(b, hashPiece) {
		h.Write(piece)
	}
}
