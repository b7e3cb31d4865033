// Command cv scores weights in folds over hosts: each site by the weights that were fitted without it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	"github.com/winnow-proxy/winnow/model"
	"github.com/winnow-proxy/winnow/model/blend"
	"github.com/winnow-proxy/winnow/model/evaluate"
)

func main() {
	sitesDir := flag.String("sites", "", "corpus")
	weights := flag.String("weights", "", "weights files with %d for the fold, or without")
	folds := flag.String("folds", "", "lines 'fold site'")
	out := flag.String("out", "", "")
	js := flag.String("json", "", "")
	price := flag.Float64("price", -1, "")
	lean := flag.Float64("lean", -99, "")
	power := flag.Float64("power", -1, "")
	flag.Parse()
	sites, err := evaluate.LoadSites(*sitesDir)
	if err != nil {
		log.Fatal(err)
	}
	groups := map[string][]*evaluate.Site{}
	foldOf := map[string]string{}
	if *folds != "" {
		b, _ := os.ReadFile(*folds)
		for _, l := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			f := strings.Fields(l)
			foldOf[f[1]] = f[0]
		}
	}
	for _, s := range sites {
		groups[foldOf[s.ID]] = append(groups[foldOf[s.ID]], s)
	}
	var all []evaluate.SiteScore
	for k, g := range groups {
		name := strings.ReplaceAll(*weights, "%s", k)
		w, err := blend.LoadWeights(name)
		if err != nil {
			log.Fatal(err)
		}
		w.Tune(*price, *lean, *power)
		r := evaluate.Runner{Detectors: []model.Detector{blend.NewWith(w)}, Protocol: evaluate.Online, Out: *out}
		res, err := r.Sites(context.Background(), g)
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, res[0].Sites...)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].F1 < all[j].F1 })
	for i, s := range all {
		if i < 14 {
			fmt.Printf("%-28s F1 %.3f P %.3f R %.3f kept %.3f removed %.3f last %.3f\n", s.Site, s.F1, s.P, s.R, s.Kept, s.Removed, s.Buckets[4].F1)
		}
	}
	sum := evaluate.Summarize(all)
	for i, b := range sum.Buckets {
		fmt.Printf("%-6s F1 %.4f P %.4f R %.4f kept %.4f removed %.4f\n", evaluate.BucketNames()[i], b.F1, b.P, b.R, b.Kept, b.Removed)
	}
	fmt.Printf("all    F1 %.4f P %.4f R %.4f kept %.4f removed %.4f\n", sum.All.F1, sum.All.P, sum.All.R, sum.All.Kept, sum.All.Removed)
	if *js != "" {
		b, _ := json.Marshal(all)
		os.WriteFile(*js, b, 0o644)
	}
}
