package bench

import (
	"maps"
	"math"
)

func init() { maps.Copy(references, tensorReferences) }

// tensorReferences are those of the suite tensor: loops over coordinates, without an expression.
var tensorReferences = map[string]func(*values){
	"tensor_cast": func(v *values) {
		for i, x := range v.ints["x"] {
			v.floats["y"][i] = float64(x)
		}
	},
	"tensor_slice": func(v *values) {
		n := int(v.n["n"])
		half := n / 2
		for i := range v.floats["b"] {
			v.floats["b"][i] = v.floats["a"][(half/2+i/half)*n+half-1+i%half]
		}
	},
	"tensor_chip": func(v *values) {
		n, a := int(v.n["n"]), v.floats["a"]
		for i := range n {
			for j := range n {
				v.floats["b"][i*n+j] = a[(n/2*n+i)*n+j] + a[(i*n+n/3)*n+j] + a[(i*n+j)*n+n/5]
			}
		}
	},
	"tensor_shuffle": func(v *values) {
		n, m := int(v.n["n"]), int(v.n["m"])
		for i := range n {
			for j := range m {
				for k := range m {
					v.floats["b"][(k*n+i)*m+j] = v.floats["a"][(i*m+j)*m+k]
				}
			}
		}
	},
	"tensor_pad": func(v *values) {
		n, m := int(v.n["n"]), int(v.n["m"])
		for i := range n {
			for j := range m {
				for k := range m {
					v.floats["b"][(i*(m+5)+j+2)*(m+7)+k+3] = v.floats["a"][(i*m+j)*m+k]
				}
			}
		}
	},
	"tensor_stride": func(v *values) {
		n := int(v.n["n"])
		for i := range n / 2 {
			for j := range n / 3 {
				v.floats["b"][i*(n/3)+j] = v.floats["a"][2*i*n+3*j]
			}
		}
	},
	"tensor_broadcast": func(v *values) {
		n := int(v.n["n"])
		for i := range v.floats["b"] {
			v.floats["b"][i] = v.floats["a"][i]*v.floats["col"][i/n] + v.floats["row"][i%n]
		}
	},
	"tensor_coefficients": func(v *values) {
		for i, x := range v.floats["a"] {
			y, z := v.floats["b"][i], v.floats["c"][i]
			v.floats["d"][i] = x*float64(float32(3.14)) + y*float64(float32(2.7)) - (x-z)*(x-z)*y
		}
	},
	"tensor_algebraic": func(v *values) {
		for i, x := range v.floats["a"] {
			y := v.floats["b"][i]
			v.floats["c"][i] = 1/math.Sqrt(x) + math.Sqrt(y)*x*x + (x+1)/(y+2)
		}
	},
	"tensor_transcendental": func(v *values) {
		for i, x := range v.floats["a"] {
			v.floats["c"][i] = math.Exp(x) + math.Log(v.floats["b"][i])*math.Tanh(-x)
		}
	},
	"tensor_rows": func(v *values) {
		n := int(v.n["n"])
		for i, x := range v.floats["a"] {
			v.floats["b"][i/n] += x * x
		}
	},
	"tensor_columns": func(v *values) {
		n := int(v.n["n"])
		for i, x := range v.floats["a"] {
			v.floats["b"][i%n] += x + max(x, 0.5)
		}
	},
	"tensor_full": func(v *values) {
		v.floats["c"][0] = inner(v.floats["a"], v.floats["b"])
	},
	"tensor_contraction": func(v *values) {
		n := int(v.n["n"])
		for i := range n {
			for j := range n {
				for k := range n {
					v.floats["c"][i*n+j] += v.floats["a"][k*n+i] * v.floats["b"][k*n+j] / 2
				}
			}
		}
	},
	"tensor_convolution": func(v *values) {
		m := int(v.n["m"])
		for i := range v.floats["b"] {
			column, row, image := i%(m-6), i/(m-6)%(m-6), i/(m-6)/(m-6)
			for y := range 7 {
				for x := range 7 {
					v.floats["b"][i] += v.floats["a"][(image*m+row+y)*m+column+x] * v.floats["k"][y*7+x]
				}
			}
		}
	},
}
