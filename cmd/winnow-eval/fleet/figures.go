package fleet

// Figures are what the model of one host costs and gains, as [Measure] has measured it.
type Figures struct {
	// Source says what was measured.
	Source string `json:"source"`
	// Increment is the mean length of what replicas send each other for one page, in bytes.
	Increment float64 `json:"increment_bytes"`
	// Page is the processor time of one page: to parse, mark, write and learn it. Add is the time to decode and add the
	// increment of another replica. Both are in microseconds of one core.
	Page float64 `json:"page_us"`
	Add  float64 `json:"add_us"`
	// Sizes are the figures that depend on the number of pages learned, in its order. The first has learned none.
	Sizes []Size `json:"sizes"`
}

// Size is a model that has learned a number of pages. All figures are means over sites.
type Size struct {
	Pages int `json:"pages"`
	// Memory and Encoded are its bytes in memory and in a store.
	Memory  float64 `json:"memory_bytes"`
	Encoded float64 `json:"encoded_bytes"`
	// Encode and Decode are the processor time to write and to read it, in microseconds of one core.
	Encode float64 `json:"encode_us"`
	Decode float64 `json:"decode_us"`
	// F1 is the score of later pages, the same for all sizes.
	F1 float64 `json:"f1"`
}
