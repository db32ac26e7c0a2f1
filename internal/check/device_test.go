package check

import (
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// TestWarpSize: WARP_SIZE has the value of the device that a program is checked for, and an
// if selects code where its condition differs between devices.
func TestWarpSize(t *testing.T) {
	const text = `#define WIDE (WARP_SIZE > 1)
Graph g { Node int x; }
Kernel K(g, int k) {
  ForAll (n In g.nodes) {
    if (WIDE) { n.x = 1; }
    if (WARP_SIZE == 1) { n.x = 2; }
    if (k > WARP_SIZE) { n.x = 3; }
    if (INT_MAX > 1) { n.x = 4; }
  }
}
Host main() { Invoke K(g, 1); }
`
	for _, tt := range []struct {
		cpu     bool
		wide    int64
		selects []bool
	}{{false, 1, []bool{true, true, false, false}}, {true, 0, []bool{true, true, false, false}}} {
		var diags source.List
		info := CheckWith(syntax.Parse(source.NewFile("p.irgl", []byte(text)), syntax.IrGL, &diags), &diags, Options{CPU: tt.cpu})
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		if !info.DeviceConsts {
			t.Error("the program does not have constants of devices")
		}
		var ifs []*syntax.IfStmt
		for n := range syntax.Preorder(info.File) {
			if s, ok := n.(*syntax.IfStmt); ok {
				ifs = append(ifs, s)
			}
		}
		for i, s := range ifs {
			if got := info.SelectsCode(s); got != tt.selects[i] {
				t.Errorf("CPU %v: if %d selects code: %v", tt.cpu, i, got)
			}
		}
		if c := info.Consts[ifs[0].Cond]; c == nil || c.Int != tt.wide {
			t.Errorf("CPU %v: WIDE is %v", tt.cpu, c)
		}
	}
	var diags source.List
	text2 := "#define WARP_SIZE 4\nGraph g { Node int x; }\nKernel K(g) { ForAll (n In g.nodes) { if (WARP_SIZE > 4) { n.x = 1; } } }\nHost main() { Invoke K(g); }\n"
	info := CheckWith(syntax.Parse(source.NewFile("p.irgl", []byte(text2)), syntax.IrGL, &diags), &diags, Options{CPU: true})
	if diags.Err() != nil || info.DeviceConsts {
		t.Errorf("a program's own WARP_SIZE: %v, of the device: %v", diags.Err(), info.DeviceConsts)
	}
}
