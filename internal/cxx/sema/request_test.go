package sema

import (
	"fmt"
	"strings"
	"testing"
)

// TestRequests checks that the notes of an error in an instance name the launch, the call or
// the explicit instantiation that asked for it, and what led to that.
func TestRequests(t *testing.T) {
	text := `template <class T> __global__ void tk(T *p) { p->x = 1; }
template <class T> __device__ void in(T *p) { p->y = 1; }
template <class T> __global__ void tk2(T *p) { in(p); }
template <class T> struct M { T t; __device__ ~M() { t.z(); } };
template <class T> __device__ void chain(T t) { M<T> m; }
__global__ void plain() { chain(1); }
template __global__ void tk<char>(char *);
void host() {
	tk<int><<<1, 1>>>(nullptr);
	tk2<<<1, 1>>>((short *)0);
}
`
	_, diags := checkText("k.cu", []byte(text), Options{})
	var got strings.Builder
	for _, d := range diags.Diags {
		fmt.Fprintf(&got, "%d", d.Pos.Line())
		for _, n := range d.Notes {
			what, _ := strings.CutPrefix(n.Message, "in instantiation of ")
			fmt.Fprintf(&got, "; %d %s", n.Pos.Line(), strings.TrimSuffix(what, " requested here"))
		}
		got.WriteByte('\n')
	}
	want := `1; 7 function template specialization 'tk<char>'
1; 9 function template specialization 'tk<int>'
2; 3 function template specialization 'in<short>'; 10 function template specialization 'tk2<short>'
4; 5 member function 'M<int>::~M'; 6 function template specialization 'chain<int>'
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
