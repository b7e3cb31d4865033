// Package hashes joins keyed hashes, and has the tables that they are keys of. The hashes are 64 bits of a keyed hash,
// so nobody outside can choose them.
package hashes

// Mix joins two hashes into one. The inputs are keyed already, so the mixing need not be.
func Mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ b
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}
