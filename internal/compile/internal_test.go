package compile

import (
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// TestInternalError checks that a lowered program that does not check is told
// as a fault of the compiler, not of the program's text.
func TestInternalError(t *testing.T) {
	u := &Unit{Dialect: syntax.IrGL}
	u.CUDA = syntax.Parse(source.NewFile("a.cu", []byte("void f() { x = 1; }")), syntax.CUDA, &u.Diags)
	err := recheck(u)
	if err == nil || !strings.Contains(err.Error(), "internal error") || !strings.Contains(err.Error(), "C0001") {
		t.Errorf("got %v", err)
	}
	if source.Diagnostics(err) != nil {
		t.Error("the error passes for the user's")
	}
}

// TestFlags: a crash report's command has the widths and macros that the program was compiled
// with.
func TestFlags(t *testing.T) {
	o := Options{Wide: true, WrapSigned: true, Defines: map[string]string{"N": "4", "AUTHOR": "'O'"}}
	o.Lower.Index64 = true
	if got, want := o.flags(), ` --index64 --dist64 --wrapv -DAUTHOR=''\''O'\''' -DN='4'`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
