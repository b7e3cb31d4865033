//go:build !unix

package boltstore

// Elsewhere there is no limit on the size of files to stand for a full disk.
const fullDir = ""

func saveUntilFull(string) {}
