package plan

import (
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// decisions returns a plan in the order of the program's text.
func decisions(p *Plan, f *syntax.File) (out []any) {
	for n := range syntax.Preorder(f) {
		if s, ok := n.(*syntax.ForAllStmt); ok {
			l := p.Loops[s]
			if l.Batch < 2 {
				l.Batch, l.Eager = 0, false // one at a time
			}
			out = append(out, l)
		}
		out = append(out, p.Shares[n], p.Nodes[n])
	}
	return out
}

// FuzzRead reads the attributes of arbitrary text: diagnostics have codes and hints, and
// what is decided without one is written as attributes that decide the same.
func FuzzRead(f *testing.F) {
	f.Add(program)
	f.Add("Kernel K(g) { [[deal]] ForAll (i In WL) { [[np(none)]] [[batch(1)]] ForAll (e In i.edges) { [[each(1)]] WL.push(WL.push(1)); } } }")
	f.Add("Host h() { [[outline]] [[scope(cluster 4, 9)]] Pipe { [[scope(block, 1)]] for (;;) { } } }")
	f.Add("Kernel K(g) { [[lanes, x]] for (atomicAdd(&a, 1); ; ) [[reserve(warp)]] Retry 1 }")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<13 {
			return
		}
		var diags source.List
		file := syntax.Parse(source.NewFile("in", []byte(text)), syntax.IrGL, &diags)
		if diags.Errors() > 0 {
			return
		}
		p := Read(file, &diags)
		for _, d := range diags.Diags {
			if d.Code == "" || d.Severity == source.Error && d.Hint == "" || !d.Pos.IsValid() {
				t.Fatalf("incomplete diagnostic %q", d.Error())
			}
		}
		if diags.Errors() > 0 {
			return
		}
		bare := *file
		bare.Attributes = nil
		written := syntax.String(p.Write(&bare))
		again := syntax.Parse(source.NewFile("again", []byte(written)), syntax.IrGL, &diags)
		q := Read(again, &diags)
		if err := diags.Err(); err != nil {
			t.Fatalf("%v\n--- text\n%s\n--- written\n%s", err, text, written)
		}
		a, b := decisions(p, file), decisions(q, again)
		if len(a) != len(b) {
			t.Fatalf("%d nodes became %d", len(a), len(b))
		}
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%v became %v\n--- text\n%s\n--- written\n%s", a[i], b[i], text, written)
			}
		}
	})
}
