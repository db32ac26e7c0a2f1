package opt

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// counters returns statements that add to n elements of sums.
func counters(attribute string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s atomicAdd(&sums[%d], 1);\n", attribute, i)
	}
	return b.String()
}

// closure returns an inner ForAll that uses n variables of the outer iteration.
func closure(attribute string, n int) string {
	var values, uses strings.Builder
	for i := range n {
		fmt.Fprintf(&values, "int v%d = n.b + %d;\n", i, i)
		fmt.Fprintf(&uses, " + v%d", i)
	}
	return values.String() + attribute + " ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1" + uses.String() + "); }"
}

// inKernel returns the check of a program with code in the outermost ForAll of a kernel.
func inKernel(t *testing.T, kernel, code string) *check.Info {
	t.Helper()
	text := "Graph g { Node int a; Node int b; }\nlong sums[64];\nKernel " + kernel + "(g) {\nForAll (n In g.nodes) {\n" + code + "\n}\n}\nHost main() { Invoke K(g); }\n"
	var diags source.List
	info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return info
}

// TestConditions checks conditions of what is legal, each by a program with one attribute
// that it refuses, and by one without the cause, for which the message is "".
func TestConditions(t *testing.T) {
	for _, tt := range []struct{ kernel, code, want string }{
		{"K", "for (int k = 0; k < 3; k++) { [[np(gr)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1); } }",
			"np(gr) cannot be: the rounds of the serial loop around it follow each other"},
		{"K", "for (int k = 0; k < 3; k++) { [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, 1); } }", ""},
		{"K", "[[np(wp)]] ForAll (e In n.edges) { if (e.dst.b > 3) { goto end; } atomicAdd(&e.dst.a, 1); end: ; }", "np cannot be: it contains a label"},
		{"K", "[[np(wp)]] ForAll (e In n.edges) { CBlock \"__threadfence();\"; atomicAdd(&e.dst.a, 1); }", ""},
		{"K", "[[batch(2)]] ForAll (e In n.edges) { int x = 0; CBlock \"x = 1;\" Writes (x); atomicAdd(&e.dst.a, e.dst.b + x); }", ""},
		{"K", "[[batch(2)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, e.dst.b); continue; CBlock \"again:\" Reads (); }", "batch cannot be: it contains a label"},
		{"K", "[[batch(2)]] ForAll (e In n.edges) { if (e.dst.b > 3) { goto end; } atomicAdd(&e.dst.a, 1); end: ; }", "batch cannot be: it contains a label"},
		{"K", "int *p = &n.b; [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, *p); }", "np cannot be: it uses p, which is no number"},
		{"K", "int p = n.b; [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&e.dst.a, p); }", ""},
		{"__launch_bounds__(100) K", "int sum = 0; [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&sum, e.dst.b); } n.a = sum;", "np cannot be: it gathers sum, and not all warps are whole"},
		{"__launch_bounds__(96) K", "int sum = 0; [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&sum, e.dst.b); } n.a = sum;", ""},
		{"K", "int own[1] = {n}; Exclusive (g, 1, own) { n.a = 1; } [[np(wp)]] ForAll (e In n.edges) { atomicAdd(&e.dst.b, 1); }",
			"np cannot be: the iterations of the outermost ForAll wait for each other"},
		{"K", closure("[[np(wp)]]", 8), ""},
		{"K", closure("[[np(wp)]]", 9), "np cannot be: the block's shared memory has no room for it"},
		{"K", counters("[[gather(block)]]", 44), ""},
		{"K", counters("[[gather(block)]]", 45), "gather cannot be: the block's shared memory has no room for it"},
		{"K", closure("[[np(wp)]]", 8) + counters("[[gather(block)]]", 4), ""},
		{"K", closure("[[np(wp)]]", 8) + counters("[[gather(block)]]", 5), "np cannot be: the block's shared memory has no room for it"},
	} {
		diags := new(source.List)
		info := inKernel(t, tt.kernel, tt.code)
		_, _, err := Run(info, diags, Options{Tree: tree.Options{Verify: true}})
		got := ""
		if len(diags.Diags) > 0 {
			got = diags.Diags[0].Message
		}
		if got != tt.want || (err != nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v, want %q", tt.code, got, err, tt.want)
		}
	}
}

// TestSharedRoom checks both sides of how much shared memory rows take for the closures of
// loops, beside the counters that a block gathers.
func TestSharedRoom(t *testing.T) {
	const none = "the block's shared memory has no room for it"
	for _, tt := range []struct {
		code, switches, want string
	}{
		{closure("", 8), "np=wp", ""},
		{closure("", 9), "np=wp", "np-wp: " + none},
		{closure("", 8) + counters("", 4), "np=wp coop=block", ""},
		{closure("", 8) + counters("", 5), "np=wp coop=block", "np-wp: " + none},
		{counters("", 44), "coop=block", ""},
		{counters("", 45), "coop=block", "tally: " + none},
	} {
		o, err := lower.ParseOptions(tt.switches)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		ro := Options{Lower: o, Tree: tree.Options{Verify: true, Remark: func(r pass.Remark) {
			if r.Missed && strings.Contains(r.Text, none) {
				got = r.Pass + ": " + none
			}
		}}}
		if _, _, err := Run(inKernel(t, "K", tt.code), new(source.List), ro); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.code, got, err, tt.want)
		}
	}
}

// TestHeadOfFor checks that the attributes of a for are those of the atomics and pushes in
// its head.
func TestHeadOfFor(t *testing.T) {
	for attribute, want := range map[string]int{"": 1, "[[each]]": 0} {
		info := inKernel(t, "K", attribute+" for (atomicAdd(&sums[0], 1); n.a < 3; n.a++) { n.b++; }")
		gathered := 0
		ro := Options{Lower: lower.Options{Coop: lower.CoopWarp}, Tree: tree.Options{Verify: true, Remark: func(r pass.Remark) {
			if r.Pass == "tally" && !r.Missed {
				gathered++
			}
		}}}
		if _, _, err := Run(info, new(source.List), ro); err != nil || gathered != want {
			t.Errorf("%q: %d atomics gathered, want %d: %v", attribute, gathered, want, err)
		}
	}
}

// TestLabelled checks what C text has a label, whose copies CUDA's compiler would refuse.
func TestLabelled(t *testing.T) {
	for text, want := range map[string]bool{
		"again: n++;":                                   true,
		"if (x) again: n++;":                            true,
		"/* c */ again: n++;":                           true,
		"switch (x) { case 1: again: n++; }":            true,
		"switch (x) { case 1: n++; default: n--; }":     false,
		"x = y ? a : b;":                                false,
		"asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));": false,
		"asm(\"bra L; L: exit;\");":                     true,
		"asm(\"bra L%=; L%=: exit;\");":                 false,
		"asm(\"ld.L1::no_allocate.u32 %0, [%1];\" : \"=r\"(x) : \"l\"(p));": false,
		"int v = std::min(a, b);":       false,
		"auto f = [&] { again: n++; };": true,
	} {
		if got := labelled(text); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
