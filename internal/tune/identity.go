package tune

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"irgl/graph"
)

// sampledWords is the number of words sampled from each array of a graph.
const sampledWords = 1 << 12

// Identity returns an identifier of a graph's content, independent of the file it
// was read from. It is a hash of the sizes and of up to 4096 words of each array,
// so that its time does not grow with the graph; graphs that differ only in other
// words collide. Answers never depend on it, only the choice of switches.
func Identity(g *graph.Graph) string {
	if g == nil {
		return newIdentity().text()
	}
	h := newIdentity(uint64(g.NumNodes()), uint64(g.NumEdges()))
	sample(h, g.RowStart, func(v uint64) uint64 { return v })
	sample(h, g.Dst, func(v uint32) uint64 { return uint64(v) })
	sample(h, g.Weight, func(v int32) uint64 { return uint64(v) })
	return h.text()
}

// An identity is the hash of an identifier.
type identity struct{ hash.Hash }

// newIdentity returns the hash of some words.
func newIdentity(words ...uint64) identity {
	h := identity{sha256.New()}
	for _, v := range words {
		word(h, v)
	}
	return h
}

func (h identity) text() string { return hex.EncodeToString(h.Sum(nil)[:12]) }

// ProgramHash returns a hash of a program's text.
func ProgramHash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

func word(h hash.Hash, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	h.Write(b[:])
}

// sample hashes evenly spaced words of a list, with its length.
func sample[T any](h hash.Hash, list []T, value func(T) uint64) {
	word(h, uint64(len(list)))
	n := min(len(list), sampledWords)
	for i := range n {
		word(h, value(list[int(uint64(len(list))*uint64(i)/uint64(n))]))
	}
}
