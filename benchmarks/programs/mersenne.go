package main

import "math/bits"

// A mersenne is the generator of Python's random.Random(seed): MT19937 (Matsumoto and
// Nishimura 1998) seeded by init_by_array, so that anybody can repeat a draw.
type mersenne struct {
	state [624]uint32
	next  int
}

func newMersenne(seed uint64) *mersenne {
	m := &mersenne{next: 624}
	s := &m.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	key := []uint32{uint32(seed)}
	if seed>>32 != 0 {
		key = append(key, uint32(seed>>32))
	}
	i, j := 1, 0
	wrap := func() {
		if i++; i == len(s) {
			s[0], i = s[len(s)-1], 1
		}
	}
	for range len(s) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		j = (j + 1) % len(key)
		wrap()
	}
	for range len(s) - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		wrap()
	}
	s[0] = 1 << 31
	return m
}

func (m *mersenne) uint32() uint32 {
	s := &m.state
	if m.next == len(s) {
		for i := range s {
			y := s[i]&(1<<31) | s[(i+1)%len(s)]&(1<<31-1)
			v := s[(i+397)%len(s)] ^ y>>1
			if y&1 != 0 {
				v ^= 0x9908b0df
			}
			s[i] = v
		}
		m.next = 0
	}
	y := s[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// below returns a number less than n, 1 to 2^32-1, as Python's _randbelow does.
func (m *mersenne) below(n int) int {
	for k := bits.Len(uint(n)); ; {
		if r := int(m.uint32() >> (32 - k)); r < n {
			return r
		}
	}
}

// shuffle is Python's Random.shuffle.
func (m *mersenne) shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, m.below(i+1))
	}
}
