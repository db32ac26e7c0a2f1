package engine_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"irgl/internal/engine"
)

// irglMaths are the functions of <math.h> that IrGL has, called with x in
// their domain.
const irglMaths = `sqrt(x) rsqrt(x) exp(x) exp2(x) log(x) log2(x) log10(x) sin(x) cos(x) tan(x) floor(x) ceil(x) trunc(x)
	round(x) rint(x) fabs(x) pow(x,y) fmin(x,y) fmax(x,y) fmod(y,x) fma(x,y,x) expm1(x) log1p(x) asin(x) acos(x) atan(x) sinh(x)
	cosh(x) tanh(x) asinh(x) acosh(y) atanh(x) erf(x) erfc(x) cbrt(x) atan2(x,y) hypot(x,y) copysign(x,-y) remainder(y,x)`

// TestMathEverywhere calls every function of IrGL in a kernel and in a host
// function, overloaded and with its suffix, on every device: all agree within
// a few units in the last place.
func TestMathEverywhere(t *testing.T) {
	calls := strings.Fields(irglMaths)
	n := len(calls)
	var kernel, host strings.Builder
	for i, c := range calls {
		name, args, _ := strings.Cut(c, "(")
		f := strings.NewReplacer("x", "a", "y", "b").Replace("(" + args)
		for j, e := range []string{c, name + f, name + "f" + f} {
			fmt.Fprintf(&kernel, "\t\tif (n.id == %d) { out[%d] = %s; }\n", i, 3*i+j, e)
			fmt.Fprintf(&host, "\tout[%d] = %s;\n", 3*(n+i)+j, e)
		}
	}
	text := fmt.Sprintf(`Graph graph { Node int unused; }
Output double out[%d];
Kernel K(graph) {
	ForAll (n In graph.nodes) {
		double x = 0.3 + 0.0 * n.id, y = 1.7;
		float a = 0.3f, b = 1.7f;
%s	}
}
Host main() {
	double x = 0.3, y = 1.7;
	float a = 0.3f, b = 1.7f;
	Invoke K(graph);
%s}
`, 6*n, &kernel, &host)
	g := generate(t, fmt.Sprintf("path:%d", n))
	values := map[string][]float64{}
	for _, device := range everywhere {
		if device == "cpu" && testing.Short() {
			continue // it builds the program
		}
		r, err := prepare(t, parse(t, "maths", text), engine.Options{Device: device}).Run(context.Background(), g, nil)
		if err != nil {
			t.Fatalf("%s: %v", device, err)
		}
		list, ok := r.Values("out")
		if !ok || len(list) != 6*n {
			t.Fatalf("%s: %d values", device, len(list))
		}
		values[device] = list
	}
	for device, list := range values {
		for i, v := range list {
			want, eps := values["interp"][i], 8e-16
			if i%3 != 0 {
				eps = 4e-7
			}
			if v != v || math.Abs(v-want) > eps*math.Abs(want) {
				t.Errorf("%s: %s, form %d: %.17g, want %.17g", device, calls[i/3%n], i%3, v, want)
			}
			if double := values["interp"][i-i%3]; math.Abs(v-double) > 1e-5*math.Abs(double) {
				t.Errorf("%s: %s, form %d: %.17g, but the double is %.17g", device, calls[i/3%n], i%3, v, double)
			}
		}
	}
}
