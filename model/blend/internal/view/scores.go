package view

// MeanScores returns the mean of the scores of the blocks below each element, weighted by their words.
func (v *Page) MeanScores(scores []float32) []float32 {
	sum, weight := v.Floats.Take(len(v.Elements)), v.Floats.Take(len(v.Elements))
	for i := range v.Blocks {
		e, w := v.Doc.Blocks[i].Element, float32(v.Blocks[i].Words)+1
		sum[e] += w * scores[i]
		weight[e] += w
	}
	for e := len(v.Elements) - 1; e > 0; e-- {
		up := v.Doc.Elements[e].Parent
		sum[up] += sum[e]
		weight[up] += weight[e]
	}
	for e := range sum {
		if weight[e] > 0 {
			sum[e] /= weight[e]
		}
	}
	return sum
}

// MassOf sums up the words below each element, each by how likely it is content by the scores.
func (v *Page) MassOf(scores []float32) []float32 {
	mass := v.Floats.Take(len(v.Elements))
	for i := range v.Blocks {
		mass[v.Doc.Blocks[i].Element] += float32(v.Blocks[i].Words) * (1 - scores[i])
	}
	for e := len(v.Elements) - 1; e > 0; e-- {
		mass[v.Doc.Elements[e].Parent] += mass[e]
	}
	return mass
}
