package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ssa/opt"
)

// sumShapes are bodies of kernels that access a at sums of the indices i, j, k.
var sumShapes = map[string]string{
	"straight": "o[0] = a[i]V; o[1] = a[i + j]V; o[2] = a[i + k]V; o[3] = a[i + j + k]V;",
	"figure 7": "R u = 0, v = 0; if (b) u = a[i]V; if (c) v = a[i + j]V; o[0] = u; o[1] = v;",
	"series":   "o[0] = a[i + j]V; o[1] = a[i + 3 * j]V; o[2] = a[i + 5 * j]V;",
	"products": "o[0] = (i + 1) * j; o[1] = (i + 3) * j; o[2] = (i + 5) * j;",
}

// sumCounts are the additions and the multiplications, shifts and extensions that
// a kernel of a shape has: for elements of one byte, which need no product, and
// for larger ones. An unsigned sum of 32 bits wraps, so &a[i + j] is not
// &a[i] + j: each of its addresses has a sum and a product of its own.
var sumCounts = map[string]map[string][2][2]int{
	// One addition for each address, one product for each index.
	"straight": {"int": {{4, 3}, {4, 3}}, "unsigned": {{7, 4}, {7, 4}}, "long": {{4, 0}, {4, 3}}, "unsigned long": {{4, 0}, {4, 3}}},
	"figure 7": {"int": {{2, 2}, {2, 2}}, "unsigned": {{3, 2}, {3, 2}}, "long": {{2, 0}, {2, 2}}, "unsigned long": {{2, 0}, {2, 2}}},
	// 2*j is computed once, but as a part of the address a widening product is free.
	"series": {"int": {{4, 4}, {4, 4}}, "unsigned": {{4, 5}, {4, 5}}, "long": {{4, 1}, {4, 2}}, "unsigned long": {{4, 1}, {4, 2}}},
	// i + 1, its product, 2*j, and two additions.
	"products": {"int": {{3, 2}, {3, 2}}, "unsigned": {{3, 2}, {3, 2}}, "long": {{3, 2}, {3, 2}}, "unsigned long": {{3, 2}, {3, 2}}},
}

// sumElements are types of elements by their size, and the part of them that is
// read.
var sumElements = []struct {
	size, read      int
	name, val, part string
}{{1, 1, "unsigned char", "", "unsigned char"}, {2, 2, "short", "", "short"}, {4, 4, "int", "", "int"}, {8, 8, "long", "", "long"}, {16, 4, "int4", ".y", "int"}}

var (
	additions = regexp.MustCompile(`\t(add|sub)\.[su]`)
	products  = regexp.MustCompile(`\t(mul|shl|cvt\.[su]64|mad)\.`)
)

// TestSums counts the operations of addresses at sums of indices after the whole
// pipeline, and compares what the kernels read on the emulator with the elements.
func TestSums(t *testing.T) {
	for shape, body := range sumShapes {
		for index, want := range sumCounts[shape] {
			for _, e := range sumElements {
				name := fmt.Sprintf("%s, %s, %d bytes", shape, index, e.size)
				result, size := e.part, e.read
				if shape == "products" {
					if result, size = index, 4; strings.HasSuffix(index, "long") {
						size = 8
					}
				}
				body := strings.NewReplacer("V", e.val, "R", result).Replace(body)
				text := fmt.Sprintf("extern \"C\" __global__ void k(const %s *a, %s *o, %s i, %s j, %s k, int b, int c) { %s }\n", e.name, result, index, index, index, body)
				ptx := sumsPTX(t, text, nil)
				got := [2]int{len(additions.FindAllString(ptx, -1)), len(products.FindAllString(ptx, -1))}
				if w := want[min(e.size-1, 1)]; got != w {
					t.Errorf("%s: %d additions and %d products, want %d and %d\n%s", name, got[0], got[1], w[0], w[1], ptx)
				}
				off := map[string]bool{}
				for _, p := range opt.Passes().Names() {
					off[p] = false
				}
				for _, ptx := range []string{ptx, sumsPTX(t, text, off)} {
					runSums(t, name, ptx, shape, strings.HasSuffix(index, "long"), e.size, size)
				}
			}
		}
	}
}

func sumsPTX(t *testing.T, text string, passes map[string]bool) string {
	t.Helper()
	o := compile.Options{Check: true, Opt: opt.Options{Switch: passes}}
	u, err := compiled("sums.cu", text, "", o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return emitted(t, u, "ptx")
}

// sumsWanted returns what a kernel of the shape writes.
func sumsWanted(shape string, i, j, k int64, element func(int64) int64) []int64 {
	switch shape {
	case "straight":
		return []int64{element(i), element(i + j), element(i + k), element(i + j + k)}
	case "figure 7":
		return []int64{element(i), element(i + j)}
	case "series":
		return []int64{element(i + j), element(i + 3*j), element(i + 5*j)}
	}
	return []int64{(i + 1) * j, (i + 3) * j, (i + 5) * j}
}

// runSums launches a kernel with indices of both signs. Unsigned ones wrap, and
// their sums are in the array again.
func runSums(t *testing.T, name, ptx, shape string, long bool, size, result int) {
	t.Helper()
	dev := simt.Open(simt.Checked())
	defer dev.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, ptx)
		}
	}
	const n = 64
	element := func(i int64) int64 { return 3*i + 1 }
	raw := make([]byte, n*size)
	for i := range n {
		at := raw[i*size : (i+1)*size]
		if size == 16 {
			at = at[4:]
		}
		copy(at, binary.LittleEndian.AppendUint64(nil, uint64(element(int64(i))))[:min(size, 8)])
	}
	a, err := dev.Alloc("a", int64(len(raw)))
	must(err)
	must(dev.CopyIn(a, raw))
	o, err := dev.Alloc("o", 8*4)
	must(err)
	m, err := dev.Load(name, ptx)
	must(err)
	defer m.Close()
	f, err := m.Kernel("k")
	must(err)
	for _, at := range [][3]int64{{3, 4, 5}, {40, -6, -2}, {30, 0, -30}} {
		want := sumsWanted(shape, at[0], at[1], at[2], element)
		var params []byte
		params = binary.LittleEndian.AppendUint64(params, uint64(a))
		params = binary.LittleEndian.AppendUint64(params, uint64(o))
		for _, x := range at {
			if long {
				params = binary.LittleEndian.AppendUint64(params, uint64(x))
			} else {
				params = binary.LittleEndian.AppendUint32(params, uint32(x))
			}
		}
		params = binary.LittleEndian.AppendUint32(params, 1)
		params = binary.LittleEndian.AppendUint32(params, 1)
		must(dev.CopyIn(o, make([]byte, 8*4)))
		must(dev.Launch(f, device.Launch{Grid: device.Dim3{X: 1}, Block: device.Dim3{X: 1}, Params: params}))
		must(dev.Sync(context.Background()))
		out := make([]byte, 8*4)
		must(dev.CopyOut(out, o))
		for i, w := range want {
			bits := binary.LittleEndian.AppendUint64(nil, uint64(w))
			if got := out[result*i : result*(i+1)]; !bytes.Equal(got, bits[:result]) {
				t.Errorf("%s, indices %v: o[%d] is %x, want %x\n%s", name, at, i, got, bits[:result], ptx)
			}
		}
	}
	for _, r := range dev.Reports() {
		t.Errorf("%s: %v", name, r)
	}
}
