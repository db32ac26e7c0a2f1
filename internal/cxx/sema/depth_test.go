package sema

import (
	"fmt"
	"strings"
	"testing"
)

// TestDepth checks that recursion of templates without an end is refused, also where members are
// resolved late and where the names of instances double in length with each one.
func TestDepth(t *testing.T) {
	for _, text := range []string{
		"template <int N> struct R { enum { v = R<N + 1>::v }; }; K(int *o) { *o = R<0>::v; }",
		"template <int N> struct R { typedef typename R<N + 1>::t t; }; K() { R<0>::t x; }",
		"template <class T> struct W {}; template <class T> D void f(T t) { f(W<T>()); } K() { f(1); }",
		"template <class T, class U> struct W {}; template <class T> D void f(T t) { f(W<T *, T *>()); } K() { f(1); }",
		"template <class T, class U> struct W {}; template <class T, int N> struct R { typedef typename R<W<T, T>, N + 1>::t t; }; K() { R<int, 0>::t x; }",
	} {
		_, diags := checkText("deep.cu", []byte(macros+text+"\n"), Options{})
		if err := diags.Err(); err == nil || !strings.Contains(err.Error(), "exceeded maximum depth of 1024") {
			t.Errorf("%s\ngot %v", text, err)
		}
	}
}

// TestManyEnumerators reads the last of more enumerators than instances may be deep.
func TestManyEnumerators(t *testing.T) {
	var b strings.Builder
	b.WriteString(macros + "enum E { e0 = 7")
	for i := 1; i < 2*maxDepth; i++ {
		fmt.Fprintf(&b, ", e%d", i)
	}
	fmt.Fprintf(&b, " }; K() { static_assert(e%d == %d, \"\"); }\n", 2*maxDepth-1, 2*maxDepth+6)
	if _, diags := checkText("enum.cu", []byte(b.String()), Options{}); diags.Errors() > 0 {
		t.Error(diags.Err())
	}
}
