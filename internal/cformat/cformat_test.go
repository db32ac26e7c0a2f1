package cformat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestConversions has what the GNU library prints, for machines without it.
func TestConversions(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		format string
		arg    any
		want   string
	}{
		{"g", 100000., "100000"}, {"g", 1e6, "1e+06"}, {".10g", 1e6, "1000000"}, {".0g", 0.00015, "0.0001"},
		{"#g", 1., "1.00000"}, {"G", 1e-10, "1E-10"}, {"#.0e", 3., "3.e+00"}, {".0f", 2.5, "2"}, {"F", 1.5, "1.500000"},
		{"a", 0.75, "0x1.8p-1"}, {".2a", 1., "0x1.00p+0"}, {"A", 10., "0X1.4P+3"}, {"a", 0x1p-1023, "0x0.8p-1022"}, {".0a", 1.5, "0x2p+0"}, {"a", 0., "0x0p+0"},
		{"08.2f", -1.5, "-0001.50"}, {"08.2f", -inf, "    -inf"}, {"+.2F", math.NaN(), "+NAN"}, {"+f", inf, "+inf"}, {"010f", inf, "       inf"},
		{"#x", 0, "0"}, {"#08x", 255, "0x0000ff"}, {"+u", 7, "7"}, {"hx", -1, "ffff"}, {"hhd", 384, "-128"}, {"hd", 70000, "4464"},
		{"#o", 8, "010"}, {"#o", 0, "0"}, {"#.0o", 0, "0"}, {"#.3o", 8, "010"}, {".0d", 0, ""}, {"+05d", 7, "+0007"}, {"08.3d", 7, "     007"},
		{"lx", -1, "ffffffffffffffff"}, {"p", 0, "(nil)"}, {"8p", 16, "    0x10"}, {"c", 200, "\xc8"}, {"-3c", 'b', "b  "},
		{"05s", "x", "    x"}, {"4s", "\xc3\xa9", "  \xc3\xa9"}, {".1s", "\xc3\xa9", "\xc3"},
	} {
		c, n := Parse(tt.format, nil)
		if got := c.write(tt.arg); got != tt.want || n != len(tt.format) {
			t.Errorf("%%%s of %v: %q, %d bytes, want %q", tt.format, tt.arg, got, n, tt.want)
		}
	}
	for format, want := range map[string]string{"s": "(null)", ".3s": "", "8s": "  (null)"} {
		if c, _ := Parse(format, nil); c.Null() != want {
			t.Errorf("%%%s of a null pointer: %q, want %q", format, c.Null(), want)
		}
	}
}

// write writes an int, a float64 or a string.
func (c *Conversion) write(arg any) string {
	switch x := arg.(type) {
	case float64:
		return c.Float(x)
	case string:
		return c.String(x)
	case int32: // a character's
		return c.Char(byte(x))
	case int:
		switch c.Verb {
		case 'c':
			return c.Char(byte(x))
		case 'p':
			return c.Pointer(uint64(x))
		}
		return c.Int(uint64(x))
	}
	panic(fmt.Sprintf("%T", arg))
}

func TestParse(t *testing.T) {
	stars := []int32{-5, 2}
	c, n := Parse("0*.*llx rest", func(int) int32 { v := stars[0]; stars = stars[1:]; return v })
	if want := (Conversion{Minus: true, Zero: true, Width: 5, Prec: 2, Length: "ll", Verb: 'x'}); c != want || n != 7 || !c.Wide() {
		t.Errorf("%+v, %d", c, n)
	}
	c, n = Parse("2$*3$d", func(position int) int32 { return int32(position) })
	if want := (Conversion{Position: 2, Width: 3, Prec: -1, Verb: 'd'}); c != want || n != 6 || c.Wide() {
		t.Errorf("%+v, %d", c, n)
	}
	for _, f := range []string{"", "5", "-", "ll", "y", ".", "99999999999999999999"} {
		if c, _ := Parse(f, nil); c.Verb != 0 || c.Width > MaxField {
			t.Errorf("%%%s is a conversion: %+v", f, c)
		}
	}
}

// TestLibrary compares with the machine's printf, if that is the GNU library's and there is a compiler.
func TestLibrary(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc")
	}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	var formats, want []string
	program := "#include <stdio.h>\n#include <math.h>\n#ifndef __GLIBC__\nint main() { return 77; }\n#else\nint main() {\n"
	for range 4000 {
		flags := pick("", "-", "0", "+", " ", "#", "+0", "#0", "-#", " 0", "+-", "+# 0")
		f := flags + pick("", "1", "7", "12") + pick("", "", ".", ".0", ".1", ".3", ".9", ".20")
		var arg string
		var value any
		switch r.IntN(4) {
		case 0, 1:
			x := math.Float64frombits(r.Uint64())
			if r.IntN(2) == 0 {
				x = []float64{0, math.Copysign(0, -1), 0.5, 1, 1.5, 2.5, 9.5, 99.95, 100000, 999999.5, 1e6, 0.0001, 1e-5, 1e300, 5e-324, 0x1.8p-1023, math.Inf(1), math.Inf(-1), 0.1}[r.IntN(19)]
			}
			f += pick("f", "F", "e", "E", "g", "G", "a", "A", "lf")
			switch {
			case math.IsInf(x, 0):
				arg = map[bool]string{true: "-INFINITY", false: "INFINITY"}[x < 0]
			case x != x:
				continue
			default:
				arg = strconv.FormatFloat(x, 'x', -1, 64)
			}
			value = x
		case 2:
			x := int(int32(r.Uint32() >> r.IntN(32)))
			if r.IntN(4) == 0 {
				x = r.IntN(3) - 1
			}
			f += pick("", "", "h", "hh", "l", "ll", "j", "z", "t") + pick("d", "i", "u", "x", "X", "o")
			value = x
			arg = strconv.Itoa(x)
			if c, _ := Parse(f, nil); c.Wide() {
				arg = "(long)" + arg
			}
		default:
			f = strings.NewReplacer("+", "", "#", "", " ", "", "0", "").Replace(flags) + strconv.Itoa(1+r.IntN(12)) + pick("", ".", ".2", ".9") + "s"
			value, arg = "a\xc3\xa9 text", `"a\xc3\xa9 text"`
		}
		c, _ := Parse(f, nil)
		formats = append(formats, "%"+f+" of "+arg)
		want = append(want, c.write(value))
		program += fmt.Sprintf("\tprintf(\"%%%s\\n\", %s);\n", f, arg)
	}
	path := filepath.Join(t.TempDir(), "p.c")
	if err := os.WriteFile(path, []byte(program+"}\n#endif\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-w", "-o", path+".out", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(path + ".out").Output()
	if err != nil {
		t.Skip("the library is not GNU's")
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if line != want[i] {
			t.Errorf("%s: %q, the library has %q", formats[i], want[i], line)
		}
	}
}
