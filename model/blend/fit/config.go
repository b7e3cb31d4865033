package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/winnow-proxy/winnow/model/blend"
)

// config says what weights are fitted on: corpora.json. fit.py reads the same file.
type config struct {
	// Folds is the number of parts that domains are divided into.
	Folds   int       `json:"folds"`
	Corpora []*corpus `json:"corpora"`
	// Decision has the parameters of the labelling, for fit.py.
	Decision map[string]float64 `json:"decision"`
}

// corpus is one collection of pages, judged by one convention.
type corpus struct {
	Name string `json:"name"`
	// Folders are where it is, below one of the data folders. They have sites or single pages.
	Folders []string `json:"folders"`
	// Origin, where set, is what the origin of its single pages begins with. A page whose origin no corpus of its folder
	// names is of the one without.
	Origin string `json:"origin"`
	// Dated says that the single pages of one host are a history, in order of their dates.
	Dated bool `json:"dated"`
	// First and Later are what the first pages of its hosts and the later ones weigh among all corpora's.
	First float64 `json:"first"`
	Later float64 `json:"later"`
	// Convention is what its judges called content.
	Convention convention `json:"convention"`

	index int
}

// convention is blend.Convention as the configuration has it.
type convention struct {
	Byline   float32 `json:"byline"`
	Date     float32 `json:"date"`
	Caption  float32 `json:"caption"`
	Comments float32 `json:"comments"`
	Grid     float32 `json:"grid"`
}

func (c *corpus) convention() blend.Convention { return blend.Convention(c.Convention) }

func readConfig(file string) (*config, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &config{}
	if err := json.Unmarshal(b, c); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if c.Folds < 2 || len(c.Corpora) == 0 {
		return nil, fmt.Errorf("%s: want at least two folds and one corpus", file)
	}
	for i, x := range c.Corpora {
		x.index = i
	}
	return c, nil
}

// choose returns the corpora of some names, all of them where there is none.
func (c *config) choose(names []string) ([]*corpus, error) {
	if len(names) == 0 {
		return c.Corpora, nil
	}
	var some []*corpus
	for _, name := range names {
		i := slices.IndexFunc(c.Corpora, func(x *corpus) bool { return x.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%w: no corpus is named %s", errNoData, name)
		}
		some = append(some, c.Corpora[i])
	}
	return some, nil
}

// find returns the folder of a name below one of the data folders.
func find(data []string, name string) (string, error) {
	for _, dir := range data {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: there is no folder %s in %v", errNoData, name, data)
}

// errNoData says that a corpus is missing.
var errNoData = errors.New("corpus missing")
