package parse

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// kernelsText returns a text of n lines or a few more: kernels as C has them, each with a
// structure and a device function.
func kernelsText(tb testing.TB, n int) string {
	unit, err := os.ReadFile("../testdata/kernels.cu")
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	for i := 0; i*bytes.Count(unit, []byte("\n")) < n; i++ {
		b.Write(bytes.ReplaceAll(unit, []byte("NNN"), []byte(strconv.Itoa(i))))
	}
	return b.String()
}

// BenchmarkParse parses 100,000 lines of kernels with all bodies.
func BenchmarkParse(b *testing.B) {
	text := kernelsText(b, 100_000)
	lines := strings.Count(text, "\n")
	diags := new(source.List)
	pre := cpp.Preprocess(source.NewFile("bench.cu", []byte(text)), cpp.Options{Dialect: cpp.CXX}, diags)
	b.ReportAllocs()
	for b.Loop() {
		u := Parse(pre, diags, Options{})
		readDevice(u.Decls, true)
		if n := diags.Errors(); n > 0 {
			b.Fatal(diags.Err())
		}
		if len(u.Decls) == 0 {
			b.Fatal("nothing parsed")
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
