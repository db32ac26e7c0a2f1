package run

import "encoding/binary"

// Digest continues a hash of bytes: before is the hash of the bytes before b, 0 if there
// are none. It is for comparing outputs that are too large to keep. The hash does not
// depend on how the bytes are cut into parts, as long as the lengths of all parts except
// the last are multiples of 8. It is not cryptographic.
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
