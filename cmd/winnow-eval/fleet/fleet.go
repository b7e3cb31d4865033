// Package fleet measures with real models what winnows that share what they learn need, and what they gain: [Measure]
// says what one model costs, and [ReplaySites] how well several replicas clean.
package fleet
