package graph

// The generators' random numbers: the finaliser of SplitMix64, used as a hash
// and as a stream. They are part of the definition of a generated graph.

const phi = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio

// mix is a hash of 64 bits to 64 bits.
func mix(x uint64) uint64 {
	x += phi
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// next advances a stream and returns its next number. Number k of the stream
// that starts at s is mix(s + k*phi).
func next(s *uint64) uint64 {
	x := mix(*s)
	*s += phi
	return x
}

// edgeWeight returns the weight in 1..wmax of the edge between u and v, the
// same from either end.
func edgeWeight(u, v uint32, seed, wmax uint64) int32 {
	lo, hi := min(u, v), max(u, v)
	return int32(1 + mix(mix(uint64(lo)<<32|uint64(hi))^seed)%wmax)
}
