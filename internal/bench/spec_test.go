package bench

import (
	"math"
	"slices"
	"strings"
	"testing"

	"irgl/internal/device"
)

const sample = `// Adds.
//bench suite s
//bench size n 64 128
//bench size deg 3 4
//bench buffer a i32 n uniform -2 n+2
//bench buffer row i32 n+1 rows deg
//bench buffer col i32 n*deg neighbours n deg
//bench buffer p i64 n permutation
//bench buffer s u8 n sorted 100
//bench buffer x f64 2 const 0.5
//bench buffer out f32 n uniform 1 2 out 1e-3 0.25
//bench buffer tmp i32 1 zero scratch
//bench launch add grid (n+31)/32 2 block 32 args a out i32:n f32:0.5 u64:-1 x { i32:n x i32:1 } i32:n
extern "C" __global__ void add() {}
`

func TestParse(t *testing.T) {
	s, err := Parse("add", sample)
	if err != nil {
		t.Fatal(err)
	}
	if s.Doc != "Adds." || s.Suite != "s" || len(s.Buffers) != 8 || len(s.Launches) != 1 {
		t.Errorf("%+v", s)
	}
	out := s.find("out")
	if !out.Out || out.Tolerance != 1e-3 || out.Share != 0.25 || s.find("tmp").Out || !s.find("tmp").Scratch {
		t.Errorf("%+v", out)
	}
	r, err := s.resolve(true)
	if err != nil {
		t.Fatal(err)
	}
	l := r.launches[0]
	if l.grid != (device.Dim3{X: 4, Y: 2, Z: 1}) || l.block.Count() != 32 {
		t.Errorf("%v blocks of %v", l.grid, l.block)
	}
	x := &instance{resolved: r, at: make([]device.Ptr, 8)}
	for i := range x.at {
		x.at[i] = device.Ptr(16 * (i + 1))
	}
	want := []byte{16, 0, 0, 0, 0, 0, 0, 0, 112, 0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0x3f,
		255, 255, 255, 255, 255, 255, 255, 255, 96, 0, 0, 0, 0, 0, 0, 0,
		128, 0, 0, 0, 0, 0, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0}
	if got := x.params(&l); !slices.Equal(got, want) {
		t.Errorf("parameters %v, want %v", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"// Adds.", "int x;", "needs a description"},
		{"suite s", "suite", "a.cu:2: a header line"},
		{"suite s", "team s", `no keyword "team"`},
		{"size n 64 128", "size n 64", "a.cu:3: a size has"},
		{"size n 64 128", "size n 0 128", "positive"},
		{"a i32 n uniform -2 n+2", "a i128 n uniform -2 n+2", `no type "i128"`},
		{"a i32 n uniform -2 n+2", "a i32 n", "a buffer has a name"},
		{"a i32 n uniform -2 n+2", "a i32 n random", `no fill "random"`},
		{"a i32 n uniform -2 n+2", "a i32 n uniform 1", "takes 2 numbers"},
		{"a i32 n uniform -2 n+2", "a i32 n/0 zero", "division by zero"},
		{"a i32 n uniform -2 n+2", "a i32 (n zero", "not closed"},
		{"a i32 n uniform -2 n+2", "a i32 n) zero", `unexpected ")"`},
		{"a i32 n uniform -2 n+2", "a i32 m zero", `"m" is neither a number nor a size`},
		{"a i32 n uniform -2 n+2", "a i32 n-64 zero", "buffer a: 0 elements"},
		{"a i32 n uniform -2 n+2", "p i32 n zero", "buffer p: declared twice"},
		{"zero scratch", "zero out 2", `"2" is not a tolerance`},
		{"zero scratch", "zero in", `unexpected "in"`},
		{"zero scratch", "zero scratch 1", "unexpected"},
		{"grid (n+31)/32 2", "grid 1 2 3 4", `unexpected "4"`},
		{"grid (n+31)/32 2", "size 4", `unexpected "size"`},
		{"grid (n+31)/32 2", "grid n-128", "is -64"},
		{"args a", "args b", `no buffer or type "b"`},
		{"i32:n", "i31:n", "no buffer or type"},
		{"f32:0.5", "f32:n", `"n" is not a number`},
	} {
		text := strings.Replace(sample, tt.from, tt.to, 1)
		if text == sample {
			t.Fatalf("%q is not in the sample", tt.from)
		}
		if _, err := Parse("a", text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
	for _, tt := range []struct{ from, to, want string }{
		{"uniform -2 n+2", "uniform 2 2", "is empty"},
		{"uniform -2 n+2", "uniform x 2", `"x" is neither a number nor a size`},
		{"sorted 100", "sorted 0", "is empty"},
		{"const 0.5", "sorted 5", "requires an integer type"},
		{"const 0.5", "const y", `"y" is not a number`},
		{"neighbours n deg", "neighbours 5 deg", "do not fit"},
	} {
		s, err := Parse("a", strings.Replace(sample, tt.from, tt.to, 1))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.resolve(false)
		if err != nil {
			t.Fatal(err)
		}
		err = nil
		for i := range s.Buffers {
			if _, e := r.fill(i); e != nil {
				err = e
			}
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.to, err, tt.want)
		}
	}
}

func TestExpr(t *testing.T) {
	env := map[string]int64{"n": 10, "m": 3}
	for text, want := range map[Expr]int64{"n": 10, "1+2*3": 7, "(1+2)*3": 9, "n/m": 3, "n%m-1": 0, "-n+1": -9, "2*-m": -6, "0x10": 16, "n-m-1": 6, "--m": 3} {
		if got, err := text.eval(env); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []Expr{"", "+", "n n", "1.5", "n%0", Expr(strings.Repeat("(", 1000))} {
		if v, err := text.eval(env); err == nil {
			t.Errorf("%q is %d", text, v)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("// x\n//bench suite s\n//bench launch k grid 1 block 1 args\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f", text)
		if err != nil {
			return
		}
		for _, large := range []bool{false, true} {
			if _, err := s.resolve(large); err != nil {
				t.Errorf("what was parsed cannot be evaluated: %v", err)
			}
		}
	})
}

// TestFill checks what each fill promises.
func TestFill(t *testing.T) {
	s, err := Parse("add", sample)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.resolve(true)
	if err != nil {
		t.Fatal(err)
	}
	v := decode(t, r)
	again := decode(t, r)
	n, deg := r.env["n"], r.env["deg"]
	if !slices.Equal(v.ints["a"], again.ints["a"]) || slices.Min(v.ints["a"]) < -2 || slices.Max(v.ints["a"]) > n+1 || slices.Max(v.ints["a"]) == slices.Min(v.ints["a"]) {
		t.Errorf("uniform: %v", v.ints["a"])
	}
	row, col := v.ints["row"], v.ints["col"]
	if row[0] != 0 || row[n] != n*deg || !slices.IsSorted(row) {
		t.Errorf("rows: %v", row)
	}
	for u := range n {
		list := col[row[u]:row[u+1]]
		if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) || len(list) > 0 && (list[0] < 0 || list[len(list)-1] >= n) {
			t.Errorf("neighbours of %d: %v", u, list)
		}
	}
	p := slices.Sorted(slices.Values(v.ints["p"]))
	for i, x := range p {
		if int64(i) != x {
			t.Fatalf("permutation: %v", v.ints["p"])
		}
	}
	if slices.IsSorted(v.ints["p"]) {
		t.Error("the permutation is the identity")
	}
	if !slices.IsSorted(v.ints["s"]) || slices.Max(v.ints["s"]) > 99 || slices.Max(v.ints["s"]) < 90 {
		t.Errorf("sorted: %v", v.ints["s"])
	}
	if !slices.Equal(v.floats["x"], []float64{0.5, 0.5}) || slices.Min(v.floats["out"]) < 1 || slices.Max(v.floats["out"]) >= 2 {
		t.Errorf("floats: %v, %v", v.floats["x"], v.floats["out"])
	}
}

// TestCompare checks both sides of each limit.
func TestCompare(t *testing.T) {
	cells := func(v ...float64) []byte {
		var b []byte
		for _, x := range v {
			b = append(b, make([]byte, 8)...)
			putFloat(b[len(b)-8:], x)
		}
		return b
	}
	nan := math.NaN()
	for _, tt := range []struct {
		tolerance, share float64
		got, want        []byte
		ok               bool
	}{
		{0, 0, cells(1, 2), cells(1, 2), true},
		{0, 0, cells(1, 2), cells(1, 2.0000001), false},
		{0, 0, cells(nan), cells(nan), true},
		{0.01, 0, cells(nan), cells(1), false},
		{0.01, 0, cells(1), cells(nan), false},
		{0.01, 0, cells(100.9), cells(100), true},
		{0.01, 0, cells(102), cells(100), false},
		{0.01, 0, cells(0.0001), cells(0.009), true},
		{0.01, 0, cells(0.0001), cells(0.02), false},
		{0, 0.5, cells(1, 2), cells(1, 3), true},
		{0, 0.49, cells(1, 2), cells(1, 3), false},
	} {
		b := Buffer{Name: "b", Type: "f64", Tolerance: tt.tolerance, Share: tt.share}
		if err := b.compare(tt.got, tt.want); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
