//go:build !full

package htmltree

// pagesPerTest is how many pages of the corpora there are for each that is compared.
const pagesPerTest = 40
