//go:build !unix

package boltstore

// Other systems have no file size limit that could represent a full disk.
const fullDir = ""

func saveUntilFull(string) {}
