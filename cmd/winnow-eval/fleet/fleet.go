// Package fleet answers what several winnows that share what they learn need, and what they gain: how soon all of them
// know what one has learned, what that costs in traffic, processors, memory and storage, and how well they clean.
//
// [Measure] measures one model on a corpus. [Simulate] multiplies these figures: it plays small fleets through, event
// by event, and uses formulas for sizes that no machine can play through. [Replicas] runs real models on replicas.
package fleet
