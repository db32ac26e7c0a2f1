package check

import (
	"fmt"
	"strings"
	"testing"

	"irgl/syntax"
)

// TestInitSlots checks where the values of initialiser lists go: C99 6.7.8,
// one rule a row. A slot prints as offset:type=text.
func TestInitSlots(t *testing.T) {
	const types = "struct p { int x, y; }; struct q { char c; struct p p[2]; double d; }; union u { float f; int i; }; struct p v; "
	for _, tt := range []struct{ decl, want, typ string }{
		{"int a[] = {1, 2}", "0:int=1 4:int=2", "int[2]"},
		{"int a[4] = {[2] = 1, 2}", "8:int=1 12:int=2", "int[4]"},
		{"int a[] = {[3] = 1, [1] = 2, 3}", "12:int=1 4:int=2 8:int=3", "int[4]"},
		{"int a[2][2] = {{1}, {2, 3}}", "0:int=1 8:int=2 12:int=3", "int[2][2]"},
		{"int a[2][2] = {1, 2, 3}", "0:int=1 4:int=2 8:int=3", "int[2][2]"},
		{"struct p a = {.y = 1, .x = 2}", "4:int=1 0:int=2", "struct p"},
		{"struct q a = {1, {{2, 3}}, 4}", "0:char=1 4:int=2 8:int=3 24:double=4", "struct q"},
		{"struct q a = {1, 2, 3, 4, 5, 6}", "0:char=1 4:int=2 8:int=3 12:int=4 16:int=5 24:double=6", "struct q"},
		{"struct q a = {.p = {[1] = {7}}, 8}", "12:int=7 24:double=8", "struct q"},
		{"struct q a = {1, v, v, 2}", "0:char=1 4:struct p=v 12:struct p=v 24:double=2", "struct q"},
		{"union u a = {1}", "0:float=1", "union u"},
		{"union u a = {.i = 1}", "0:int=1", "union u"},
		{"union u a[] = {1, 2}", "0:float=1 4:float=2", "union u[2]"},
		{"char a[] = {\"ab\"}", "0:char[3]=\"ab\"", "char[3]"},
		{"char a[2][4] = {\"ab\", {'c', 0}}", "0:char[4]=\"ab\" 4:char='c' 5:char=0", "char[2][4]"},
		{"const char *a[] = {\"ab\", 0}", "0:const char *=\"ab\" 8:const char *=0", "const char *[2]"},
		{"int a = {3}", "0:int=3", "int"},
		{"struct p a = {}", "", "struct p"},
	} {
		info, diags := checkText("x.cu", []byte(types+"void f() { "+tt.decl+"; }"))
		if err := diags.Err(); err != nil {
			t.Errorf("%s: %v", tt.decl, err)
			continue
		}
		v := info.Funcs[0].Decl.Body.Stmts[0].(*syntax.VarDecls).Vars[0]
		var got []string
		for _, s := range info.Inits[v.Init.(*syntax.InitList)] {
			pos, end := span(s.Value)
			got = append(got, fmt.Sprintf("%d:%s=%s", s.Offset, s.Type, pos.File.Content[pos.Offset:end.Offset]))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s sets %s, want %s", tt.decl, g, tt.want)
		}
		if typ := info.Defs[v.Name].Type.String(); typ != tt.typ {
			t.Errorf("%s declares %s, want %s", tt.decl, typ, tt.typ)
		}
	}
}
