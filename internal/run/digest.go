package run

import "encoding/binary"

// Digest goes on with a hash of bytes from what it was before them, 0 at first: for
// comparing outputs that are too large to keep. It takes the bytes in parts as in one
// as long as the lengths of all parts but the last are multiples of 8. It is no
// defence against who looks for two texts with the same hash.
func Digest(before uint64, b []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := before
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * odd
		h ^= h >> 29
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h = (h ^ binary.LittleEndian.Uint64(last[:]) ^ uint64(len(b))<<56) * odd
		h ^= h >> 29
	}
	return h
}
