package irgltest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/builtin"
	"irgl/internal/lower"
)

// exactProgram returns a program in which a kernel and the host call each function
// that the table of builtins says is exact, on the same values; bad counts the
// results that differ, and the output names the functions.
func exactProgram() (text string, functions int) {
	var kernel, host strings.Builder
	for name := range builtin.Names() {
		r := builtin.Lookup(name)
		if !r.Pure() || r.Inexact || !r.Host || !r.Device || r.CUDAOnly || r.LowLevel != "" || r.Rule == builtin.CtorCall || r.Rule == builtin.RangeCall {
			continue
		}
		for _, form := range r.Forms {
			result, params, _ := strings.Cut(strings.TrimSuffix(form, ")"), "(")
			call := name + "("
			for i, p := range strings.Split(params, ",") {
				call += []string{"", ", ", ", "}[i] + fmt.Sprintf(map[string]string{
					"f": "(float)values[%s]", "d": "values[%s]", "i": "(int)bits[%s]", "u": "(unsigned)bits[%s]",
					"l": "bits[%s]", "m": "(unsigned long)bits[%s]", "L": "(long long)bits[%s]", "U": "(unsigned long long)bits[%s]",
				}[p], []string{"i", "(i * 7 + 3) % 24", "(i * 5 + 11) % 24"}[i])
			}
			call += ")"
			out := "reals"
			if result != "f" && result != "d" {
				out = "ints"
			}
			fmt.Fprintf(&kernel, "Kernel k%d(graph) { ForAll (i In range(24)) { %s[i] = %s; } }\n", functions, out, call)
			fmt.Fprintf(&host, "\tInvoke k%d(graph);\n\tfor (i = 0; i < 24; i++) { if (differ_%s(%s[i], %s)) { bad++; printf(\"%s: %%d\\n\", i); } }\n",
				functions, out, out, call, call)
			functions++
		}
	}
	return `Graph graph { }
Output int bad = 0;
double values[24] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -7.3, 1e300, 0.0, 1e-40, INFINITY, -INFINITY, NAN, 16777217.0,
	0x1.000002p0, 0x1.fffffcp-25, 0x1.8p60, 4503599627370497.5, 1.0, -1.0, -1e-310, -1e10};
long bits[24] = {0, 1, -1, 2, 7, -8, 2147483647, -2147483648l, 4294967296l, 4294967295l, 255, 1l << 62, LONG_MIN, LONG_MAX, 12345678901l, -99,
	3, 5, 100, 1000000, -1000000, 65536, 0x0f0f0f0f, 0x7fff0000};
double reals[24];
long ints[24];
bool differ_reals(double a, double b) {
	if (a != a && b != b) return false;
	return a != b || copysign(1.0, a) != copysign(1.0, b);
}
bool differ_ints(long a, long b) { return a != b; }
` + kernel.String() + "Host main() {\n" + host.String() + "}\n", functions
}

// TestExact: what the table of builtins calls exact gives the same bits on the host
// and on the device, so that code that calls it may move from one to the other.
func TestExact(t *testing.T) {
	text, functions := exactProgram()
	if functions < 40 {
		t.Fatalf("only %d functions are exact", functions)
	}
	p, err := Load("exact", text)
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Input(context.Background(), mustGenerate(t, "empty:1")[0])
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.emulate(Variant{Name: "simt"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	got, want := m.run(context.Background(), in), p.interpret(context.Background(), in, 0)
	if got.Err != nil || got.Text != want.Text || !strings.Contains(got.Text, "bad: 0\n") {
		t.Errorf("host and device differ:\n%s%v\nthe interpreter: %s%v", got.Text, got.Err, want.Text, want.Err)
	}
}

// TestOutlineKeepsInexact: host code that calls a function whose result differs on
// the device stays on the host, the float forms too; exact functions move.
func TestOutlineKeepsInexact(t *testing.T) {
	outlined := func(call string) bool {
		text := `Graph g { Output Node int a; }
Output float x = 0.7f;
Kernel K(g) { ForAll (n In g.nodes) { n.a = n.a + 1; } }
Host main() { Pipe Once { int i = 0; while (i < 40) { Invoke K(g); x = ` + call + `; i++; } } }
`
		p, err := Load("p", text)
		if err != nil {
			t.Fatal(err)
		}
		o := lower.Options{Outline: lower.Outline{Auto: true}, OutlineBlocks: 2}
		m, err := p.emulate(Variant{Name: "simt-outline", Lower: o})
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		in, err := p.Input(context.Background(), mustGenerate(t, "path:3")[0])
		if err != nil {
			t.Fatal(err)
		}
		before := m.dev.Counters().Launches
		out, want := m.run(context.Background(), in), p.interpret(context.Background(), in, 0)
		if out.Err != nil || out.Text != want.Text {
			t.Errorf("%s: %v\n%s, want\n%s", call, out.Err, out.Text, want.Text)
		}
		return m.dev.Counters().Launches-before < 40
	}
	for call, moves := range map[string]bool{
		"sinf(x * 9.0f) * 3.0f": false, "expf(x) - 1.0f": false, "powf(x, 0.5f)": false, "log2f(x + 1.5f)": false, "(float)sin(x)": false, "atan2f(x, 2.0f)": false,
		"copysignf(x + 0.5f, -1.0f)": true, "sqrtf(x + 1.0f)": true, "fmaf(x, 0.5f, 0.1f)": true, "floorf(x * 3.3f) * 0.7f": true, "(float)remainder(x, 0.3)": true,
	} {
		if got := outlined(call); got != moves {
			t.Errorf("%s moves to the device: %v, want %v", call, got, moves)
		}
	}
}
