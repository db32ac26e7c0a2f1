package hosteval

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// numberFunctions read numbers from strings, and give random ones.
func numberFunctions() map[string]function {
	return map[string]function{
		"atoi":    func(m *machine, c *call) uint64 { return uint64(int64(int32(integer(m, c, 0, 10, true)))) },
		"atol":    func(m *machine, c *call) uint64 { return integer(m, c, 0, 10, true) },
		"atoll":   func(m *machine, c *call) uint64 { return integer(m, c, 0, 10, true) },
		"strtol":  func(m *machine, c *call) uint64 { return integer(m, c, c.Args[1], int(c.Args[2]), true) },
		"strtoll": func(m *machine, c *call) uint64 { return integer(m, c, c.Args[1], int(c.Args[2]), true) },
		"strtoul": func(m *machine, c *call) uint64 { return integer(m, c, c.Args[1], int(c.Args[2]), false) },
		"strtoull": func(m *machine, c *call) uint64 {
			return integer(m, c, c.Args[1], int(c.Args[2]), false)
		},
		"atof":   func(m *machine, c *call) uint64 { return floating(m, c, 0, 64) },
		"strtod": func(m *machine, c *call) uint64 { return floating(m, c, c.Args[1], 64) },
		"strtof": func(m *machine, c *call) uint64 { return floating(m, c, c.Args[1], 32) },

		"rand":    func(m *machine, c *call) uint64 { return uint64(m.random.next()) },
		"random":  func(m *machine, c *call) uint64 { return uint64(m.random.next()) },
		"srand":   func(m *machine, c *call) uint64 { m.random.seed(uint32(c.Args[0])); return 0 },
		"srandom": func(m *machine, c *call) uint64 { m.random.seed(uint32(c.Args[0])); return 0 },
		"rand_r":  randR,
		"drand48": func(m *machine, c *call) uint64 { return math.Float64bits(real48(m.next48())) },
		"lrand48": func(m *machine, c *call) uint64 { return m.next48() >> 17 },
		"mrand48": func(m *machine, c *call) uint64 { return uint64(int64(int32(m.next48() >> 16))) },
		"srand48": func(m *machine, c *call) uint64 { m.rand48 = uint64(uint32(c.Args[0]))<<16 | 0x330e; return 0 },
		"erand48": func(m *machine, c *call) uint64 {
			b := c.Bytes(c.Args[0], 6, true)
			if b == nil {
				return 0
			}
			x := step48(uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32)
			binary.LittleEndian.PutUint32(b, uint32(x))
			binary.LittleEndian.PutUint16(b[4:], uint16(x>>32))
			return math.Float64bits(real48(x))
		},
	}
}

// integer is strtol and its kin: it stores where the number ends at end, unless that is 0.
func integer(m *machine, c *call, end uint64, base int, signed bool) uint64 {
	s, ok := text(c, c.Args[0])
	if !ok {
		return 0
	}
	v, n, fits := parseInteger(s, base, signed)
	if end != 0 {
		put64(c, end, c.Args[0]+uint64(n))
	}
	if !fits {
		m.setErrno(c, erange)
	}
	return v
}

// parseInteger reads an integer as strtol does, and returns how long it is.
func parseInteger(s string, base int, signed bool) (v uint64, n int, fits bool) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	negative := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		negative = s[i] == '-'
		i++
	}
	if (base == 0 || base == 16) && i+2 < len(s) && s[i] == '0' && s[i+1]|32 == 'x' && digit(s[i+2]) < 16 {
		base, i = 16, i+2
	} else if base == 0 {
		base = 10
		if i < len(s) && s[i] == '0' {
			base = 8
		}
	}
	begin, over := i, false
	for ; i < len(s) && digit(s[i]) < base; i++ {
		high, low := bits.Mul64(v, uint64(base))
		sum, carry := bits.Add64(low, uint64(digit(s[i])), 0)
		over = over || high != 0 || carry != 0
		v = sum
	}
	if i == begin {
		return 0, 0, true
	}
	switch limit := uint64(math.MaxInt64); {
	case signed && negative && (over || v > limit+1):
		return limit + 1, i, false
	case signed && !negative && (over || v > limit):
		return limit, i, false
	case over:
		return math.MaxUint64, i, false
	}
	if negative {
		v = -v
	}
	return v, i, true
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// digit returns the value of a digit, 36 for what is none.
func digit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b|32 >= 'a' && b|32 <= 'z':
		return int(b|32-'a') + 10
	}
	return 36
}

// floating is strtod and its kin.
func floating(m *machine, c *call, end uint64, size int) uint64 {
	s, ok := text(c, c.Args[0])
	if !ok {
		return 0
	}
	v, n := parseFloat(s, size)
	if end != 0 {
		put64(c, end, c.Args[0]+uint64(n))
	}
	return math.Float64bits(v)
}

// parseFloat reads a number as strtod does, and returns how long it is.
func parseFloat(s string, size int) (v float64, n int) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	begin := i
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	rest := strings.ToLower(s[i:])
	for _, word := range []string{"infinity", "inf", "nan"} {
		if strings.HasPrefix(rest, word) {
			v, _ := strconv.ParseFloat(s[begin:i]+word, size)
			return v, i + len(word)
		}
	}
	base, mark := 10, byte('e')
	if strings.HasPrefix(rest, "0x") {
		base, mark, i = 16, 'p', i+2
	}
	digits := 0
	for point := false; i < len(s); i++ {
		if s[i] == '.' && !point {
			point = true
		} else if digit(s[i]) < base {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return 0, 0
	}
	end := i
	exponent := false
	if i < len(s) && s[i]|32 == mark {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		for ; i < len(s) && digit(s[i]) < 10; i++ {
			end, exponent = i+1, true
		}
	}
	number := s[begin:end]
	if base == 16 && !exponent {
		number += "p0"
	}
	v, _ = strconv.ParseFloat(number, size)
	return v, end
}

// A random is the generator of rand, the additive feedback generator of random(3), with 31
// words of state.
type random struct {
	words []uint32
	at    int
}

// seed starts the sequence of a seed: 34 words, of which the first 31 are a linear congruential
// sequence, and 310 numbers that are left out.
func (r *random) seed(seed uint32) {
	if seed == 0 {
		seed = 1
	}
	r.words = make([]uint32, 34)
	r.words[0] = seed
	for i := 1; i < 31; i++ {
		v := int64(16807) * int64(int32(r.words[i-1])) % 2147483647
		if v < 0 {
			v += 2147483647
		}
		r.words[i] = uint32(v)
	}
	for i := 31; i < 34; i++ {
		r.words[i] = r.words[i-31]
	}
	ring := make([]uint32, 31)
	copy(ring, r.words[3:34])
	r.words, r.at = ring, 0
	for range 310 {
		r.step()
	}
}

// step adds the words 31 and 3 back.
func (r *random) step() uint32 {
	v := r.words[r.at] + r.words[(r.at+28)%31]
	r.words[r.at] = v
	r.at = (r.at + 1) % 31
	return v
}

func (r *random) next() uint32 { return r.step() >> 1 }

// randR is rand_r of the GNU library: three steps of a linear congruential generator.
func randR(m *machine, c *call) uint64 {
	b := c.Bytes(c.Args[0], 4, true)
	if b == nil {
		return 0
	}
	next := binary.LittleEndian.Uint32(b)
	step := func() uint32 { next = next*1103515245 + 12345; return next / 65536 }
	v := step() % 2048
	v = v<<10 ^ step()%1024
	v = v<<10 ^ step()%1024
	binary.LittleEndian.PutUint32(b, next)
	return uint64(v)
}

// step48 is the linear congruential generator of drand48.
func step48(x uint64) uint64 { return (x*0x5deece66d + 11) & (1<<48 - 1) }

func (m *machine) next48() uint64 { m.rand48 = step48(m.rand48); return m.rand48 }

func real48(x uint64) float64 { return float64(x) / (1 << 48) }
