//go:build race

package htmltree

// pagesPerTest is how many pages of the corpora there are for each that is compared. The race detector makes comparing
// ten times slower, and has nothing to find in it; .ci/run compares all pages without it.
const pagesPerTest = 5
