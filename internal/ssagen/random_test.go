package ssagen_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A writer writes random C without undefined behaviour (given that integers
// wrap): shift counts are masked, divisors are never 0 or -1, indices are
// masked, loops are counted.
type writer struct {
	*rand.Rand
	b     strings.Builder
	vars  []string // assignable names of arithmetic type
	loops int      // loop variables in use; not assignable
	funcs int
}

var cTypes = []string{"int", "unsigned", "long long", "unsigned long long", "short", "unsigned short", "signed char", "unsigned char", "bool"}

func (w *writer) intType() string {
	return cTypes[w.IntN(len(cTypes))]
}

func (w *writer) line(depth int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("\t", depth))
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// integer returns an expression of some integer type.
func (w *writer) integer(depth int) string {
	return fmt.Sprintf("(%s)(%s)", w.intType(), w.expr(depth-1, true))
}

// expr returns an expression; exact ones hold no floats, whose conversion to
// integers is undefined out of range.
func (w *writer) expr(depth int, exact bool) string {
	if depth <= 0 {
		switch n := w.IntN(10); {
		case n < 2:
			return fmt.Sprint(w.IntN(300) - 100)
		case n < 3:
			return []string{"0x7fffffff", "4000000000u", "(1ll << 40)", "0xffffffffffffull", "'a'"}[w.IntN(5)]
		case n < 4:
			return fmt.Sprintf("arr[%d]", w.IntN(8))
		case n < 5:
			return []string{"s.a", "s.b", "p->c", "s.d[1]", "p->d[0]"}[w.IntN(5)]
		}
		return w.vars[w.IntN(len(w.vars))]
	}
	sub := func() string { return w.expr(depth-1-w.IntN(2), exact) }
	switch w.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", sub(), []string{"+", "-", "*"}[w.IntN(3)], sub())
	case 3:
		return fmt.Sprintf("(%s %s %s)", w.integer(depth), []string{"&", "|", "^"}[w.IntN(3)], w.integer(depth))
	case 4:
		return fmt.Sprintf("(%s %s (%s & 15))", w.integer(depth), []string{"<<", ">>"}[w.IntN(2)], w.integer(depth))
	case 5:
		return fmt.Sprintf("(%s %s ((%s & 31) + 2))", w.integer(depth), []string{"/", "%"}[w.IntN(2)], w.integer(depth))
	case 6, 7:
		return fmt.Sprintf("(%s %s %s)", sub(), []string{"<", "<=", ">", ">=", "==", "!="}[w.IntN(6)], sub())
	case 8:
		return fmt.Sprintf("(%s %s %s)", sub(), []string{"&&", "||"}[w.IntN(2)], sub())
	case 9:
		return fmt.Sprintf("(%s ? %s : %s)", sub(), sub(), sub())
	case 10:
		return fmt.Sprintf("%s(%s)", []string{"-", "!", "+"}[w.IntN(3)], sub())
	case 11:
		return "~" + w.integer(depth)
	case 12:
		return fmt.Sprintf("(%s)(%s)", w.intType(), sub())
	}
	if w.funcs > 0 {
		return fmt.Sprintf("f%d(%s, %s, s)", w.IntN(w.funcs), sub(), sub())
	}
	return fmt.Sprintf("arr[%s & 7]", w.integer(depth))
}

func (w *writer) target() string {
	switch w.IntN(5) {
	case 0:
		return fmt.Sprintf("arr[%s & 7]", w.integer(1))
	case 1:
		return []string{"s.a", "s.b", "p->c", "p->d[1]"}[w.IntN(4)]
	}
	return w.vars[w.IntN(len(w.vars))]
}

func (w *writer) stmts(depth, indent int) {
	for range 2 + w.IntN(4) {
		w.stmt(depth, indent)
	}
}

func (w *writer) stmt(depth, in int) {
	switch n := w.IntN(10); {
	case n < 4 || depth <= 0:
		op := []string{"=", "=", "+=", "-=", "*=", "&=", "|=", "^="}[w.IntN(8)]
		w.line(in, "%s %s %s;", w.target(), op, w.expr(2+w.IntN(2), true))
	case n == 4:
		w.line(in, "%s++; --arr[%s & 7];", w.target(), w.integer(1)) // no -- of a bool
	case n == 5:
		w.line(in, "if (%s) {", w.expr(2, true))
		w.stmts(depth-1, in+1)
		w.line(in, "} else {")
		w.stmts(depth-1, in+1)
		w.line(in, "}")
	case n == 6:
		v := fmt.Sprintf("i%d", w.loops)
		w.loops++
		w.line(in, "for (int %s = 0; %s < %d; %s++) {", v, v, 1+w.IntN(5), v)
		w.stmts(depth-1, in+1)
		if w.IntN(2) == 0 {
			w.line(in+1, "if (%s) %s;", w.expr(1, true), []string{"break", "continue"}[w.IntN(2)])
		}
		w.stmts(depth-1, in+1)
		w.line(in, "}")
	case n == 7:
		w.line(in, "switch (%s & 7) {", w.integer(2))
		for c := range 2 + w.IntN(6) {
			w.line(in, "case %d:", c)
			w.stmt(depth-1, in+1)
			if w.IntN(3) > 0 {
				w.line(in+1, "break;")
			}
		}
		w.line(in, "default: ;")
		w.stmt(depth-1, in+1)
		w.line(in, "}")
	case n == 8:
		w.line(in, "{ struct s t = s; t.a ^= %s; *p = t; }", w.integer(1))
	default:
		w.line(in, "x = (float)((%s) & 0xffff) * 0.25f + (float)(x > 1e4f ? 1 : x);", w.integer(2))
		w.line(in, "y = x * 1.5 + (%s);", w.integer(1))
	}
}

// program returns device functions and a kernel of random statements.
func program(seed uint64) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 7))}
	w.line(0, "struct s { int a; unsigned char b, fill; short c; long long d[2]; };")
	for i := range 2 {
		w.vars = []string{"a", "b", "c"}
		w.line(0, "__device__ %s f%d(%s a, %s b, struct s s) {", w.intType(), i, w.intType(), w.intType())
		w.line(1, "%s c = a; int arr[8] = { 1, 2, [5] = 3 }; struct s *p = &s; float x = 1; double y = 2;", w.intType())
		w.stmts(1, 1)
		w.line(1, "return %s;", w.expr(2, true))
		w.line(0, "}")
		w.funcs = i + 1
	}
	w.line(0, "__global__ void k(long long *out) {")
	w.vars = nil
	for i := range 6 {
		v := fmt.Sprintf("v%d", i)
		w.line(1, "%s %s = %d;", w.intType(), v, w.IntN(1000)-300)
		w.vars = append(w.vars, v)
	}
	w.line(1, "int arr[8] = { 5, -6, 7 }; struct s s = { 1, 2, 0, 3, { 4, 5 } }, *p = &s; float x = 3; double y = 4;")
	w.stmts(3, 1)
	w.stmts(3, 1)
	for i, v := range append(w.vars, "arr[0]", "arr[3]", "arr[7]", "s.a", "s.b", "s.c", "s.d[0]", "s.d[1]", "(x == x ? x * 64 : 0)", "(y < 1e15 && y > -1e15 ? y : 0)") {
		w.line(1, "out[%d] = %s;", i, v)
	}
	w.line(0, "}")
	return w.b.String()
}

const shim = `#include <stdbool.h>
#include <stdio.h>
#define __device__ static
#define __global__
%s
int main(void) { long long o[16]; k(o); for (int i = 0; i < 16; i++) printf("%%lld\n", o[i]); }
`

// TestRandomC compares random programs on the emulator with what the C
// compiler of the machine makes of them.
func TestRandomC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc in PATH to compare with")
	}
	n := 12
	if testing.Short() {
		n = 1
	}
	if s := os.Getenv("IRGL_RANDOM"); s != "" { // a longer search
		fmt.Sscan(s, &n)
	}
	dir := t.TempDir()
	for seed := range n {
		text := program(uint64(seed))
		exe := filepath.Join(dir, "a.out")
		cmd := exec.Command(gcc, "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-x", "c", "-o", exe, "-")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(shim, text))
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, msg, text)
		}
		want, err := exec.Command(exe).Output()
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for _, optimise := range []bool{false, true} {
			got, _ := execute(t, "random.cu", []byte(text), optimise, 1, []string{"k"}, 16)
			for i, s := range strings.Fields(string(want)) {
				if fmt.Sprint(got[i]) != s {
					t.Fatalf("seed %d, optimise %t: out[%d] = %d, want %s\n%s", seed, optimise, i, got[i], s, text)
				}
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}
