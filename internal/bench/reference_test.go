package bench

import (
	"hash/crc32"
	"math"
	"math/big"
	"math/bits"
	"math/cmplx"
	"slices"
	"testing"
	"time"
)

// values are the buffers and sizes that a reference computes from and into:
// ints for whole numbers, floats for the others. Results begin as the
// buffers do.
type values struct {
	n      map[string]int64 // sizes
	ints   map[string][]int64
	floats map[string][]float64
}

// decode gives the initial contents of all buffers.
func decode(t *testing.T, r *resolved) *values {
	v := &values{r.env, map[string][]int64{}, map[string][]float64{}}
	for i := range r.spec.Buffers {
		b := &r.spec.Buffers[i]
		data, err := r.fill(i)
		if err != nil {
			t.Fatal(err)
		}
		size := b.Type.Size()
		for ; len(data) > 0; data = data[size:] {
			if b.Type.float() {
				v.floats[b.Name] = append(v.floats[b.Name], b.Type.value(data[:size]))
			} else {
				v.ints[b.Name] = append(v.ints[b.Name], whole(b.Type, data[:size]))
			}
		}
	}
	return v
}

// whole returns a whole number's bits, extended by its sign where it has one.
func whole(t Type, b []byte) int64 {
	u := uint64(0)
	for i := len(b) - 1; i >= 0; i-- {
		u = u<<8 | uint64(b[i])
	}
	if shift := 64 - 8*len(b); t[0] == 'i' {
		return int64(u<<shift) >> shift
	}
	return int64(u)
}

// checkReference compares what a benchmark left with what f computes. Floats
// may be as far off as the benchmark allows, or a few units of theirs.
func checkReference(t *testing.T, r *resolved, f func(*values), got [][]byte) {
	v := decode(t, r)
	f(v)
	for i := range r.spec.Buffers {
		b := r.spec.Buffers[i]
		if !b.Out {
			continue
		}
		want := make([]byte, 0, len(got[i]))
		cell := make([]byte, b.Type.Size())
		for k := range r.counts[i] {
			if b.Type.float() {
				putFloat(cell, v.floats[b.Name][k])
			} else {
				putInt(cell, v.ints[b.Name][k])
			}
			want = append(want, cell...)
		}
		if b.Type == "f32" && b.Tolerance > 0 {
			b.Tolerance = max(b.Tolerance, 1e-5)
		}
		if err := b.compare(got[i], want); err != nil {
			t.Errorf("reference: %v", err)
		}
	}
}

// references computes the results of benchmarks in Go, by other methods where
// there is one.
var references = map[string]func(*values){
	"matmul_naive": product, "matmul_tiled": product, "matmul_register": product,
	"matvec": func(v *values) {
		n := v.n["n"]
		for i := range v.floats["y"] {
			v.floats["y"][i] = inner(v.floats["a"][int64(i)*n:], v.floats["x"])
		}
	},
	"transpose": func(v *values) {
		n := int(v.n["n"])
		for i := range n * n {
			v.floats["b"][i%n*n+i/n] = v.floats["a"][i]
		}
	},
	"spmv_scalar": spmv, "spmv_vector": spmv,
	"spmv_ell": func(v *values) {
		n := v.n["n"]
		for k, c := range v.ints["col"] {
			if c >= 0 {
				v.floats["y"][int64(k)%n] += v.floats["val"][k] * v.floats["x"][c]
			}
		}
	},
	"stencil1d": func(v *values) {
		for i := range v.floats["out"] {
			for _, x := range v.floats["in"][i : i+9] {
				v.floats["out"][i] += x / 9
			}
		}
	},
	"stencil2d": func(v *values) {
		star(v, 2, []float64{0.5, 0.125})
	},
	"stencil2d_wide":  func(v *values) { star(v, 2, []float64{0.4, 0.1, 0.04, 0.01}) },
	"stencil3d":       func(v *values) { star(v, 3, []float64{0.4, 0.1}) },
	"stencil3d_march": func(v *values) { star(v, 3, []float64{0.25, 0.1, 0.025}) },
	"borders": func(v *values) {
		n, a := int(v.n["n"]), v.floats["a"]
		for i := range a {
			x, y, z := i%n, i/n%n, i/n/n
			if min(x, y, z) == 0 || max(x, y, z) == n-1 {
				v.floats["b"][i] = -1
				continue
			}
			v.floats["b"][i] = 0.4*a[i] + 0.1*(a[i-1]+a[i+1]+a[i-n]+a[i+n]+a[i-n*n]+a[i+n*n])
		}
	},
	"convolve_rows": func(v *values) {
		w := []float64{0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.09, 0.1, 0.14, 0.1, 0.09, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01}
		n := int(v.n["n"])
		for i := range n * n {
			for k, c := range w {
				if x := i%n + k - 8; x >= 0 && x < n {
					v.floats["out"][i] += c * v.floats["in"][i/n*n+x]
				}
			}
		}
	},
	"reduce_tree": func(v *values) {
		for i, x := range v.ints["in"] {
			v.ints["out"][i/256] += x
		}
	},
	"reduce_shuffle": func(v *values) {
		for i := range v.floats["out"] {
			v.floats["out"][i] = slices.Max(v.floats["in"][i*256 : i*256+256])
		}
	},
	"reduce_grid": func(v *values) {
		threads := int(v.n["blocks"]) * 256
		for i, x := range v.floats["a"] {
			v.floats["part"][i%threads/256] += x * v.floats["b"][i]
		}
		v.floats["sum"][0] = inner(v.floats["a"], v.floats["b"])
	},
	"scan_block": func(v *values) { scan(v, 512, 0) },
	"scan_warp":  func(v *values) { scan(v, 256, 1) },
	"histogram": func(v *values) {
		for _, w := range v.ints["in"] {
			for s := 0; s < 32; s += 8 {
				v.ints["count"][w>>s&255]++
			}
		}
	},
	"compact": func(v *values) {
		for i, x := range v.ints["in"] {
			if x > 0 {
				v.ints["out"][i/256*256+int(v.ints["count"][i/256])] = x
				v.ints["count"][i/256]++
			}
		}
	},
	"bitonic": func(v *values) {
		copy(v.ints["out"], v.ints["in"])
		for block := range slices.Chunk(v.ints["out"], 512) {
			slices.Sort(block)
		}
	},
	"radix_pass": func(v *values) {
		copy(v.ints["out"], v.ints["in"])
		for block := range slices.Chunk(v.ints["out"], 256) {
			slices.SortStableFunc(block, func(a, b int64) int { return int(a>>4&15 - b>>4&15) })
		}
	},
	"merge_path": func(v *values) {
		v.ints["out"] = append(slices.Clone(v.ints["a"]), v.ints["b"]...)
		slices.Sort(v.ints["out"])
	},
	"binary_search": func(v *values) {
		for i, x := range v.ints["query"] {
			at, _ := slices.BinarySearch(v.ints["keys"], x)
			v.ints["out"][i] = int64(at)
		}
	},
	"coordinates64": func(v *values) {
		for i, rest := range v.ints["position"] {
			for d, extent := range v.ints["extent"] {
				v.ints["out"][i] += rest % extent * v.ints["stride"][d]
				rest /= extent
			}
		}
	},
	"residues64": func(v *values) {
		var r, x, m big.Int
		for i, value := range v.ints["x"] {
			for j, modulus := range v.ints["modulus"] {
				r.Mod(x.SetInt64(value), m.SetInt64(modulus))
				v.ints["out"][i] ^= r.Int64() + int64(j)
			}
		}
	},
	"bit_loops": func(v *values) {
		for i, x := range v.ints["a"] {
			y := v.ints["b"][i]
			ones, zeros := bits.OnesCount64(uint64(x)), 64-bits.OnesCount64(uint64(y))
			digits, octal := max(bits.Len32(uint32(y))-1, 0), (bits.Len32(uint32(y>>32))+2)/3*5
			equal := 0
			for k := 0; k < 24; k += 8 {
				if (x^y)>>k&3 == 0 {
					equal++
				}
			}
			if int8(x>>24) > int8(y>>24) {
				equal++
			}
			v.ints["out"][i] = int64(ones + digits*100 + octal*10000 + zeros*1000000 + equal*7 + bits.OnesCount16(uint16(x))*13)
		}
	},
	"gcd64": func(v *values) {
		for i, a := range v.ints["a"] { // Stein's method
			b := v.ints["b"][i]
			twos := bits.TrailingZeros64(uint64(a | b))
			for a >>= bits.TrailingZeros64(uint64(a)); b != 0; {
				b >>= bits.TrailingZeros64(uint64(b))
				a, b = min(a, b), max(a, b)-min(a, b)
			}
			v.ints["out"][i] = a << twos
		}
	},
	"pow_mod64": func(v *values) {
		for i, b := range v.ints["base"] {
			r := int64(1)
			for range 65537 {
				r = r * b % 1000003
			}
			v.ints["out"][i] = r
		}
	},
	"long_bounds": func(v *values) {
		n, m := int(v.n["n"]), int(v.n["m"])
		in, data := v.ints["in"], v.floats["data"]
		for t := range n {
			sum, squares := int64(0), 0.0
			for i := range m {
				sum += in[i*n+t] % 7 * int64(i%3)
			}
			for i := 5; i <= m-3; i += 2 {
				sum ^= in[i*n+t]
			}
			for i := t * 4; i < n*m; i += n * 4 {
				for k := range 4 {
					squares += data[i+k] * data[i+k]
				}
			}
			v.ints["out"][t], v.floats["squares"][t] = sum, squares
		}
		for i, x := range data {
			v.floats["scaled"][i] = x * 3
		}
	},
	"settled": func(v *values) {
		for i, x := range v.floats["volume"] {
			p := 0.0
			if e := v.floats["energy"][i]; v.ints["rounds"][i] > 0 && e > 0 {
				c := 1/x - 1
				p = math.Sqrt(2*(c+1)*e/3*x + c*c)
			}
			v.floats["pressure"][i] = p
		}
	},
	"first_round": func(v *values) {
		n := len(v.floats["out"])
		for i, x := range v.floats["in"] {
			for k := i; k < len(v.floats["add"]); k += n {
				x = x/2 + v.floats["add"][k]
			}
			v.floats["out"][i] = x
		}
	},
	"matmul_bytes": func(v *values) {
		n := v.n["n"]
		for i := range v.ints["c"] {
			a, b := v.ints["a"][int64(i)/n*n:], v.ints["b"][int64(i)%n*n:]
			for k := range n {
				v.ints["c"][i] += a[k] * b[k]
			}
		}
	},
	"param_table": func(v *values) {
		weights := []int64{7, -11, 13, 17, -19, 23, 29, 31}
		for i, x := range v.ints["in"] {
			sum := int64(0)
			for k := 0; k < 12; k += 3 {
				sum = sum*3 + weights[x>>k&7]
			}
			v.ints["out"][i] = sum + weights[i%8]
		}
	},
	"index64": func(v *values) {
		n := int(v.n["n"])
		for i := range n * n * n {
			v.floats["out"][i/(n*n)*n+i%n] += v.floats["in"][i]
		}
	},
	"div32_const": func(v *values) {
		for i, s := range v.ints["seconds"] {
			u := time.Unix(s, 0).UTC()
			year, month, day := u.Date()
			hour, minute, second := u.Clock()
			v.ints["out"][i] = int64((year*16+int(month))*32+day)*7 + int64((hour*60+minute)*60+second)
		}
	},
	"crc32": crc, "crc32_table": crc,
	"hash_table": func(v *values) {
		set := map[int64]bool{}
		for _, k := range v.ints["key"] {
			set[k] = true
		}
		for i, q := range v.ints["query"] {
			if set[q] {
				v.ints["found"][i] = 1
			}
		}
	},
	"murmur": func(v *values) {
		for i := range v.ints["out"] {
			h := uint32(0x9747b28c)
			for _, w := range v.ints["in"][i*16 : i*16+16] {
				h ^= bits.RotateLeft32(uint32(w)*0xcc9e2d51, 15) * 0x1b873593
				h = bits.RotateLeft32(h, 13)*5 + 0xe6546b64
			}
			h ^= 64
			h = (h ^ h>>16) * 0x85ebca6b
			h = (h ^ h>>13) * 0xc2b2ae35
			v.ints["out"][i] = int64(h ^ h>>16)
		}
	},
	"knapsack": func(v *values) {
		row := func(from, to []int64, weight int, value int64) {
			for w := range from {
				to[w] = from[w]
				if w >= weight {
					to[w] = max(to[w], from[w-weight]+value)
				}
			}
		}
		row(v.ints["row"], v.ints["mid"], 17, 60)
		row(v.ints["mid"], v.ints["last"], 101, 333)
	},
	"floyd_warshall": func(v *values) {
		d, n, k := v.ints["d"], v.n["n"], v.n["k"]
		for i := range n {
			for j := range n {
				if i != k && j != k {
					d[i*n+j] = min(d[i*n+j], d[i*n+k]+d[k*n+j])
				}
			}
		}
	},
	"lcs_bits": func(v *values) {
		n := int(v.n["n"])
		for t := range n {
			var row [65]int64
			for j := range 64 {
				before := int64(0) // the row above, one to the left
				for i := range 64 {
					above := row[i+1]
					if v.ints["a"][i*n+t] == v.ints["b"][j*n+t] {
						row[i+1] = before + 1
					} else {
						row[i+1] = max(above, row[i])
					}
					before = above
				}
			}
			v.ints["out"][t] = row[64]
		}
	},
	"smith_waterman": func(v *values) {
		for s := range v.ints["out"] {
			var row [65]int64
			for j := range 64 {
				before := int64(0)
				for i := range 64 {
					above, score := row[i+1], int64(-1)
					if v.ints["a"][s*64+i] == v.ints["b"][s*64+j] {
						score = 2
					}
					row[i+1] = max(0, before+score, above-1, row[i]-1)
					v.ints["out"][s] = max(v.ints["out"][s], row[i+1])
					before = above
				}
			}
		}
	},
	"irgl_bfs": func(v *values) {
		level := v.ints["level"]
		edges(v, "dst", func(u, _, d int64) {
			if u < v.n["n"]/4 && level[d] == math.MaxInt32 {
				level[d] = 7
				v.ints["size"][0]++
			}
		})
	},
	"irgl_sssp": func(v *values) {
		dist := v.ints["dist"]
		edges(v, "dst", func(u, e, d int64) {
			if x := dist[u] + v.ints["weight"][e]; u < v.n["n"]/4 && x < dist[d] {
				dist[d], v.ints["seen"][d] = x, 3
			}
		})
		for _, round := range v.ints["seen"] {
			v.ints["size"][0] += round / 3
		}
	},
	"irgl_pr": func(v *values) {
		row, rank, n := v.ints["row"], v.floats["rank"], v.n["n"]
		next := make([]float64, n)
		edges(v, "dst", func(u, _, d int64) { next[d] += rank[u] / float64(row[u+1]-row[u]) })
		for u := range n {
			rank[u] = 0.15/float64(n) + 0.85*(next[u]+0.125/float64(n))
		}
	},
	"sssp_step": func(v *values) {
		edges(v, "dst", func(u, e, d int64) {
			v.ints["to"][d] = min(v.ints["to"][d], v.ints["from"][u]+v.ints["weight"][e])
		})
	},
	"cc_step": func(v *values) {
		copy(v.ints["out"], v.ints["label"])
		edges(v, "dst", func(u, _, d int64) { v.ints["out"][u] = min(v.ints["out"][u], v.ints["label"][d]) })
		v.ints["changed"][0] = 1
	},
	"pagerank_step": func(v *values) {
		edges(v, "src", func(u, _, s int64) {
			v.floats["out"][u] += 0.85 * v.floats["rank"][s] / float64(v.ints["degree"][s])
		})
		for u := range v.floats["out"] {
			v.floats["out"][u] += 0.15 / float64(v.n["n"])
		}
	},
	"triangles": func(v *values) {
		near := map[[2]int64]bool{}
		edges(v, "dst", func(u, _, d int64) { near[[2]int64{u, d}] = true })
		edges(v, "dst", func(u, _, d int64) {
			for e := v.ints["row"][d]; e < v.ints["row"][d+1]; e++ {
				if near[[2]int64{u, v.ints["dst"][e]}] {
					v.ints["count"][0]++
				}
			}
		})
	},
	"fft_stage": func(v *values) {
		for base := 0; base < len(v.floats["in"]); base += 512 {
			for k := range 256 {
				sum := complex(0, 0)
				for j := range 256 {
					x := complex(v.floats["in"][base+2*j], v.floats["in"][base+2*j+1])
					sum += x * cmplx.Rect(1, -2*math.Pi*float64(j*k%256)/256)
				}
				v.floats["out"][base+2*k], v.floats["out"][base+2*k+1] = real(sum), imag(sum)
			}
		}
	},
	"black_scholes": func(v *values) {
		normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
		for i, s := range v.floats["price"] {
			x, t := v.floats["strike"][i], v.floats["years"][i]
			d1 := (math.Log(s/x) + (0.02+0.3*0.3/2)*t) / (0.3 * math.Sqrt(t))
			d2 := d1 - 0.3*math.Sqrt(t)
			e := x * math.Exp(-0.02*t)
			v.floats["call"][i] = s*normal(d1) - e*normal(d2)
			v.floats["put"][i] = e*normal(-d2) - s*normal(-d1)
		}
	},
	"nbody": func(v *values) {
		b, n := v.floats["body"], int(v.n["n"])
		for i := range n {
			for j := range n {
				r2 := 0.01
				for c := range 3 {
					r2 += (b[4*j+c] - b[4*i+c]) * (b[4*j+c] - b[4*i+c])
				}
				for c := range 3 {
					v.floats["force"][4*i+c] += (b[4*j+c] - b[4*i+c]) * b[4*j+3] / (r2 * math.Sqrt(r2)) / float64(n)
				}
			}
		}
	},
	"kmeans": func(v *values) {
		n := int(v.n["n"])
		for i := range n {
			best := math.Inf(1)
			for c := range 16 {
				d := 0.0
				for j := range 8 {
					x := v.floats["point"][j*n+i] - v.floats["centre"][c*8+j]
					d += x * x
				}
				if d < best {
					best, v.ints["out"][i] = d, int64(c)
				}
			}
		}
	},
	"axpy4": func(v *values) {
		for i, x := range v.floats["x"] {
			v.floats["y"][i] += 1.5 * x
		}
	},
	"copy_unroll": func(v *values) {
		for i, x := range v.floats["in"] {
			v.floats["out"][i] = 2*x + 1
		}
	},
}

func product(v *values) {
	n := int(v.n["n"])
	for i := range n * n {
		for k := range n {
			v.floats["c"][i] += v.floats["a"][i/n*n+k] * v.floats["b"][k*n+i%n]
		}
	}
}

func inner(a, b []float64) float64 {
	sum := 0.0
	for i, x := range b {
		sum += a[i] * x
	}
	return sum
}

func spmv(v *values) {
	edges(v, "col", func(u, e, c int64) { v.floats["y"][u] += v.floats["val"][e] * v.floats["x"][c] })
}

// edges calls f for the entries of a sparse matrix.
func edges(v *values, column string, f func(u, e, to int64)) {
	row := v.ints["row"]
	for u := range len(row) - 1 {
		for e := row[u]; e < row[u+1]; e++ {
			f(int64(u), e, v.ints[column][e])
		}
	}
}

// star computes a stencil of points along the axes, w[d] at distance d, where
// all of them are inside.
func star(v *values, dims int, w []float64) {
	n, r := int(v.n["n"]), len(w)-1
	for i := range v.floats["in"] {
		sum, stride, inside := w[0]*v.floats["in"][i], 1, true
		for range dims {
			at := i / stride % n
			if inside = inside && at >= r && at < n-r; !inside {
				break
			}
			for d := 1; d <= r; d++ {
				sum += w[d] * (v.floats["in"][i-d*stride] + v.floats["in"][i+d*stride])
			}
			stride *= n
		}
		if inside {
			v.floats["out"][i] = sum
		}
	}
}

// scan computes prefix sums of blocks: of what is before an element, and of it
// as well when own is 1.
func scan(v *values, block int, own int64) {
	sum := int64(0)
	for i, x := range v.ints["in"] {
		if i%block == 0 {
			sum = 0
		}
		v.ints["out"][i] = sum + own*x
		sum += x
	}
}

func crc(v *values) {
	for i := range v.ints["out"] {
		var block [64]byte
		for k := range block {
			block[k] = byte(v.ints["in"][i*64+k])
		}
		v.ints["out"][i] = int64(crc32.ChecksumIEEE(block[:]))
	}
}
