package gogen

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"irgl/internal/check"
	"irgl/internal/interp"
	"irgl/internal/run"
	"irgl/syntax"
)

// TestValuesHold compares what the analysis says of variables, at many points of random
// programs, with the values that the interpreter prints there.
func TestValuesHold(t *testing.T) {
	programs := 400
	if testing.Short() {
		programs = 60
	}
	g := generated(t, "path:5")
	points, known := 0, 0
	for seed := range uint64(programs) {
		r := &randomProgram{rand: rand.New(rand.NewPCG(seed, 1))}
		text := r.text()
		info, err := load(Text{"p", []byte(text)}, false)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		b := (&generator{info: info}).findBounds()
		said := map[string][]value{}
		for n := range syntax.Preorder(info.File) {
			c, ok := n.(*syntax.CallExpr)
			if !ok || len(c.Args) < 4 || !strings.HasPrefix(builtinName(info, c), "printf") {
				continue
			}
			tag := c.Args[0].(*syntax.BasicLit).Text[1:6]
			for _, x := range c.Args[1:] {
				said[tag] = append(said[tag], b.valueOf(x))
			}
		}
		e, err := interp.New(info, interp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, err = e.Run(ctx, run.Input{Graph: g, Stdout: &out, Args: []run.Value{run.IntValue(int64(seed%9) - 4)}})
		cancel()
		if err != nil && !strings.Contains(err.Error(), "out of range") {
			t.Fatalf("%v\n%s", err, text)
		}
		for line := range strings.Lines(out.String()) {
			f := strings.Fields(line)
			for i, v := range said[f[0]] {
				x, err := strconv.ParseInt(f[i+1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				points++
				if v != anything && v != valuesOf(check.Int) {
					known++
				}
				if v.never() || x < v.lo || x > v.hi {
					t.Fatalf("at %s variable %d is %d, not from %d to %d\n%s", f[0], i, x, v.lo, v.hi, text)
				}
			}
		}
	}
	if points < 10*programs || known < points/5 {
		t.Errorf("%d values were compared, of which %d were known", points, known)
	}
}

func builtinName(info *check.Info, c *syntax.CallExpr) string {
	if b := builtinOf(info, c); b != nil {
		return b.Name
	}
	return ""
}

// A randomProgram prints a random host function of integers.
type randomProgram struct {
	rand  *rand.Rand
	b     strings.Builder
	tags  int
	depth int
}

func (r *randomProgram) text() string {
	r.b.WriteString("Graph graph { Output Node int x; }\nint g = 1; int a[6];\n")
	fmt.Fprintf(&r.b, "int f(int v, unsigned u) { int w = v; if (v %s %s) { w = %s; } return w %s 3; }\n", r.pick("<", ">", "==", "!="), r.number(), r.number(), r.pick("+", "%", "&", "-"))
	// A function whose end is reached without return, and one with labels, as is the end.
	fmt.Fprintf(&r.b, "int e(int v) { if (v %s %s) { return %s; } }\n", r.pick("<", ">", "==", "!="), r.number(), r.number())
	fmt.Fprintf(&r.b, "int h(int v) { if (v %s %s) { goto end; } g = %s; %s end: a[v & 3] = %s; g = %s; %s }\n", r.pick("<", ">", "==", "!="), r.number(),
		r.number(), r.pick("return 1;", "return v;", "goto last;", ""), r.number(), r.number(), r.pick("last: ", "last: return 2;", "if (v > 3) { return 4; } last: v = 2;"))
	r.b.WriteString("Host m(int p) { int fuel = 0; int v = 0; int w = p; unsigned u = 3; \n")
	r.block(4 + r.rand.IntN(5))
	r.b.WriteString("}\n")
	return r.b.String()
}

func (r *randomProgram) pick(list ...string) string { return list[r.rand.IntN(len(list))] }

func (r *randomProgram) number() string {
	return r.pick("0", "1", "2", "3", "5", "6", "7", "-1", "-3", "100", "2147483647", "(-2147483647 - 1)")
}

func (r *randomProgram) name() string { return r.pick("v", "w", "u", "v", "w", "p") }

func (r *randomProgram) expr(depth int) string {
	if depth == 0 || r.rand.IntN(4) == 0 {
		return r.pick(r.name(), r.name(), r.number(), "g", "a["+r.pick("0", "5", "v & 3", "(u % 6u)")+"]")
	}
	x, y := r.expr(depth-1), r.expr(depth-1)
	switch r.rand.IntN(13) {
	case 0:
		return "(" + r.cond(1) + " ? " + x + " : " + y + ")"
	case 1:
		return r.pick("min", "max") + "((int)(" + x + "), (int)(" + y + "))"
	case 2:
		return r.pick("~", "-", "!", "(int)", "(unsigned char)", "(short)", "(long)", "(unsigned)") + "(" + x + ")"
	case 3:
		return "f((int)(" + x + "), (unsigned)(" + y + "))"
	case 12:
		return r.pick("e", "h") + "((int)(" + x + "))"
	case 4:
		return "((" + x + ") " + r.pick("/", "%") + " " + r.pick("2", "3", "5", "6u", "-4") + ")"
	case 5:
		return "((" + x + ") " + r.pick("<<", ">>") + " " + r.pick("1", "3", "30") + ")"
	}
	return "((" + x + ") " + r.pick("+", "-", "*", "&", "|", "^", "+", "-") + " (" + y + "))"
}

func (r *randomProgram) cond(depth int) string {
	switch c := r.name() + " " + r.pick("<", "<=", ">", ">=", "==", "!=") + " " + r.pick(r.number(), r.name(), r.expr(1)); r.rand.IntN(6) {
	case 0:
		if depth > 0 {
			return "(" + r.cond(depth-1) + r.pick(" && ", " || ") + r.cond(depth-1) + ")"
		}
		return c
	case 1:
		return "!(" + c + ")"
	case 2:
		return r.name()
	default:
		return c
	}
}

func (r *randomProgram) block(n int) {
	r.depth++
	for range n {
		r.stmt()
		r.tags++
		fmt.Fprintf(&r.b, "printf(\"t%04d %%d %%d %%u %%d %%d\\n\", v, w, u, p, g);\n", r.tags)
	}
	r.depth--
}

func (r *randomProgram) stmt() {
	sub := func() {
		r.b.WriteString("{\n")
		r.block(1 + r.rand.IntN(3))
		r.b.WriteString("}\n")
	}
	kind := r.rand.IntN(15)
	if r.depth > 4 && kind > 6 && kind != 14 {
		kind = 0
	}
	switch kind {
	case 0, 1, 2:
		fmt.Fprintf(&r.b, "%s %s %s;\n", r.name(), r.pick("=", "=", "=", "+=", "-=", "*=", "&=", "^="), r.expr(2))
	case 3:
		fmt.Fprintf(&r.b, "%s%s;\n", r.name(), r.pick("++", "--"))
	case 4:
		fmt.Fprintf(&r.b, "g = %s; a[%s] = %s;\n", r.expr(2), r.pick("0", "p & 3", r.name()), r.expr(1))
	case 5:
		fmt.Fprintf(&r.b, "%s = %s + %s++;\n", r.pick("v", "w"), r.pick("v", "w"), r.pick("v", "w"))
	case 6:
		if r.depth > 1 && strings.Contains(r.b.String(), "while") && r.rand.IntN(2) == 0 {
			r.b.WriteString("if (fuel > 60) { return; }\n")
			return
		}
		fmt.Fprintf(&r.b, "g %s %s;\n", r.pick("+=", "=", "&="), r.number())
	case 7, 8:
		fmt.Fprintf(&r.b, "if (%s) ", r.cond(2))
		sub()
		if r.rand.IntN(2) == 0 {
			r.b.WriteString("else ")
			sub()
		}
	case 9, 10:
		fmt.Fprintf(&r.b, "while (fuel < 200 && %s) { fuel++; %s\n", r.cond(1), r.jump())
		r.block(1 + r.rand.IntN(3))
		r.b.WriteString(r.jump() + "}\n")
	case 11:
		fmt.Fprintf(&r.b, "for (%s = %s; %s; %s) { if (fuel++ > 200) { break; }\n", r.pick("v", "w"), r.number(), r.cond(1), r.pick("v++", "w++", "v--", "v += 2, w--"))
		r.block(1 + r.rand.IntN(3))
		r.b.WriteString(r.jump() + "}\n")
	case 12:
		fmt.Fprintf(&r.b, "do { fuel++;\n")
		r.block(1)
		r.b.WriteString(r.jump())
		fmt.Fprintf(&r.b, "} while (fuel < 200 && %s);\n", r.cond(1))
	case 14: // an access of the variable that the statement changes
		v := r.pick("v", "w")
		switch r.rand.IntN(3) {
		case 0:
			fmt.Fprintf(&r.b, "a[%s] = %s; ", v, r.number())
		case 1:
			fmt.Fprintf(&r.b, "a[%s & 3] = %s; %s = %s & 3; ", r.number(), r.number(), v, v)
		}
		fmt.Fprintf(&r.b, "%s %s a[%s];\n", v, r.pick("=", "=", "+=", "^=", "="), v)
	default:
		fmt.Fprintf(&r.b, "switch (%s) {\ncase 1:\n", r.name())
		r.block(1)
		r.b.WriteString(r.pick("break;\n", "") + "case 3:\n")
		r.block(1)
		r.b.WriteString("default:\n")
		r.block(1)
		r.b.WriteString("}\n")
	}
}

// jump returns a statement that may leave an iteration.
func (r *randomProgram) jump() string {
	return r.pick("", "", "if ("+r.cond(0)+") { "+r.pick("break", "continue")+"; }\n")
}

// TestScale checks that the analysis takes time in proportion to the size of a function:
// with many variables, branches, loops, functions and stores between globals. The time does
// not grow exponentially with the depth of calls and loops, which the test would not end with.
func TestScale(t *testing.T) {
	for name, text := range map[string]string{
		"loops": "Host m(int p) { int v = 0;\n" + repeated(40, func(i int) string {
			return fmt.Sprintf("for (int i%[1]d = 0; i%[1]d < p + %[1]d; i%[1]d++) { if (v > %[1]d) { v = v + i%[1]d; }\n", i)
		}) + "a[v & 3] = v;" + strings.Repeat("}", 40) + "}\n",
		"calls": "Kernel K(graph) { ForAll (n In graph.nodes) {" + strings.Repeat("graph.nodes(", 100) + "n" + strings.Repeat(")", 100) + ".x = 1; } }\nHost m() { Invoke K(graph); }\n",
	} {
		info, err := load(Text{"p", []byte("Graph graph { Node int x; }\nint a[9];\n" + text)}, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start := time.Now()
		(&generator{info: info}).findBounds()
		if took := time.Since(start); took > time.Second {
			t.Errorf("nested %s: %v", name, took)
		}
	}
	if testing.Short() {
		t.Skip("slow")
	}
	const graph = "Graph graph { Node int x; }\nint a[9];\n"
	shapes := map[string]func(n int) string{
		"statements": func(n int) string {
			return graph + "Host m(int p) { int v = 0;\n" + repeated(n, func(i int) string { return "if (p > v) { v = v + 1; }\n" }) + "}\n"
		},
		"loops": func(n int) string {
			return graph + "Host m(int p) { int v = 0;\n" + repeated(n, func(i int) string { return "for (int i = 0; i < 9; i++) { a[i] = p; v += i; }\n" }) + "}\n"
		},
		"variables": func(n int) string {
			return graph + "Host m(int p) {\n" + repeated(n, func(i int) string { return fmt.Sprintf("int v%d = p %% %d; a[v%d & 3] = 1;\n", i, i+1, i) }) + "}\n"
		},
		"globals": func(n int) string {
			return graph + repeated(n, func(i int) string { return fmt.Sprintf("int g%d = 0;\n", i) }) + "Host m(int p) {\n" +
				repeated(n-1, func(i int) string { return fmt.Sprintf("g%d = g%d;\n", i, i+1) }) + fmt.Sprintf("g%d = p;\n}\n", n-1)
		},
		"functions": func(n int) string {
			return graph + "int f0(int i) { return i; }\n" + repeated(n-1, func(i int) string {
				return fmt.Sprintf("int f%d(int i) { if (i > %d) { return f%d(i - 1); } return i; }\n", i+1, i, i)
			}) + fmt.Sprintf("Host m(int p) { a[f%d(p) & 3] = 1; }\n", n-1)
		},
		"conditions": func(n int) string {
			return graph + "Host m(int p) { if (p > 0" + repeated(n, func(i int) string { return fmt.Sprintf(" && p != %d", i) }) + ") { a[p & 3] = 1; } }\n"
		},
	}
	for name, shape := range shapes {
		took := func(n int) time.Duration {
			info, err := load(Text{"p", []byte(shape(n))}, false)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			least := time.Hour
			for range 3 {
				start := time.Now()
				(&generator{info: info}).findBounds()
				least = min(least, time.Since(start))
			}
			return least
		}
		const n = 400
		small, large := took(n), took(8*n)
		if large > 40*small && large > 500*time.Millisecond {
			t.Errorf("%s: 8 times the size takes %v instead of %v", name, large, small)
		}
		t.Logf("%s: %v, %v", name, small, large)
	}
}

// repeated returns what f returns for the numbers below n.
func repeated(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}
