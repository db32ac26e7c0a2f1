package ssa

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Print writes m as text that [Parse] reads back to an equal module: equal but
// for positions and for the numbers of values without a result, which the
// text does not show.
func Print(w io.Writer, m *Module) error {
	p := printer{w: bufio.NewWriter(w)}
	for _, g := range m.Globals {
		p.global(g)
	}
	for i, f := range m.Funcs {
		if i > 0 || len(m.Globals) > 0 {
			p.line("")
		}
		p.fn(f)
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print SSA: %w", err)
	}
	return nil
}

// String returns the text that Print writes.
func (m *Module) String() string {
	var b strings.Builder
	_ = Print(&b, m) // a Builder does not fail
	return b.String()
}

// String returns the text of one function, as in the print of its module.
func (f *Func) String() string {
	var b strings.Builder
	p := printer{w: bufio.NewWriter(&b)}
	p.fn(f)
	_ = p.w.Flush() // a Builder does not fail
	return b.String()
}

// String returns the block's name in the text, "b3".
func (b *Block) String() string { return "b" + strconv.Itoa(b.ID) }

// String returns the value's name in the text, "v3".
func (v *Value) String() string {
	if v == nil {
		return "<nil>"
	}
	return "v" + strconv.Itoa(v.ID)
}

// LongString returns the value's whole line in the text, without indentation.
func (v *Value) LongString() string {
	var b strings.Builder
	p := printer{w: bufio.NewWriter(&b)}
	p.value(v)
	_ = p.w.Flush() // a Builder does not fail
	return b.String()
}

type printer struct{ w *bufio.Writer }

func (p *printer) str(parts ...string) {
	for _, s := range parts {
		_, _ = p.w.WriteString(s) // a bufio.Writer reports its error on Flush
	}
}

func (p *printer) line(parts ...string) {
	p.str(parts...)
	p.str("\n")
}

func (p *printer) int(n int64) { p.str(strconv.FormatInt(n, 10)) }

func (p *printer) global(g *Global) {
	p.str("global @", g.Name, ": space(", strings.TrimPrefix(g.Space.String(), "ptr."), ")")
	if g.Const {
		p.str(" const")
	}
	p.str(" size ")
	p.int(g.Size)
	p.str(" align ")
	p.int(g.Align)
	if len(g.Init) > 0 {
		p.str(" init 0x", hex.EncodeToString(g.Init))
	}
	for _, r := range g.Refs {
		p.str(" ref ")
		p.int(r.Offset)
		p.str(" @", r.Name, " ")
		p.int(r.Add)
	}
	p.line("")
}

func (p *printer) fn(f *Func) {
	p.str("func @", f.Name)
	if f.Kernel {
		p.str(" kernel")
	}
	switch f.Inline {
	case InlineAlways:
		p.str(" always")
	case InlineNever:
		p.str(" never")
	}
	if f.MaxThreads != 0 {
		p.str(" maxthreads ", strconv.Itoa(f.MaxThreads))
	}
	if f.MinBlocks != 0 {
		p.str(" minblocks ", strconv.Itoa(f.MinBlocks))
	}
	if f.Cluster != [3]int{} {
		p.str(" cluster")
		for _, n := range f.Cluster {
			p.str(" ", strconv.Itoa(n))
		}
	}
	p.str("(")
	for i, param := range f.Params {
		if i > 0 {
			p.str(", ")
		}
		p.param(param)
	}
	p.str(")")
	if f.Result != Void {
		p.str(" ", f.Result.String())
	}
	if len(f.Blocks) == 0 {
		p.line("")
		return
	}
	p.line(" {")
	for _, b := range f.Blocks {
		p.block(b)
	}
	p.line("}")
}

// param prints the size of an aggregate, and the alignment of an aggregate or
// of a parameter that is not aligned to its size.
func (p *printer) param(q *Param) {
	p.str("%", q.Name, ": ", q.Type.String())
	if q.Type == PtrParam {
		p.str(" size ")
		p.int(q.Size)
	}
	if q.Type == PtrParam || q.Align != int64(q.Type.Size()) {
		p.str(" align ")
		p.int(q.Align)
	}
	if q.Restrict {
		p.str(" restrict")
	}
}

func (p *printer) block(b *Block) {
	p.str(b.String(), ":")
	for i, pred := range b.Preds {
		if i == 0 {
			p.str(" <- ")
		} else {
			p.str(", ")
		}
		p.str(pred.String())
	}
	if b.Unroll != 0 {
		p.str(" unroll ", strconv.Itoa(b.Unroll))
	}
	p.line("")
	for _, v := range b.Values {
		p.str("  ")
		p.value(v)
		p.line("")
	}
	p.str("  ")
	switch b.Kind {
	case BlockJump:
		p.str("jump")
	case BlockIf:
		p.str("if ", b.Ctrl.String(), ",")
	case BlockRet:
		p.str("ret")
		if b.Ctrl != nil {
			p.str(" ", b.Ctrl.String())
		}
	case BlockTrap:
		p.str("trap")
	}
	for i, s := range b.Succs {
		if i > 0 {
			p.str(",")
		}
		p.str(" ", s.String())
	}
	if b.Uniform {
		p.str(" uniform")
	}
	p.line("")
}

// value prints one value: its name unless it has no result, the operation, the
// type of the result, what the operation names, its arguments, its flags.
func (p *printer) value(v *Value) {
	if v.Type != Void {
		p.str(v.String(), " = ")
	}
	p.str(v.Op.String())
	if v.Type != Void {
		p.str(" ", v.Type.String())
	}
	field := opTable[v.Op].field
	switch field {
	case fieldInt:
		p.str(" ")
		if v.Op == OpConst && v.Type == I1 && (v.Int == 0 || v.Int == -1) {
			p.str(strconv.FormatBool(v.Int != 0))
		} else {
			p.int(v.Int)
		}
	case fieldFloat:
		p.str(" ", formatFloat(v.Float))
	case fieldName:
		p.str(" @", v.Callee())
	}
	if v.Op == OpCall {
		p.str("(")
	}
	for i, a := range v.Args {
		if i > 0 {
			p.str(", ")
		} else if v.Op != OpCall {
			p.str(" ")
		}
		p.str(a.String())
	}
	if v.Op == OpCall {
		p.str(")")
	}
	if field.quoted() && v.Sym != nil {
		p.str(" ", strconv.Quote(v.Sym.String()))
	}
	if v.NoWrap {
		p.str(" ", v.Op.promise())
	}
	if v.Op.AccessesMemory() || v.Op == OpAlloca {
		p.str(" align ")
		p.int(v.Mem.Align)
		if v.Mem.Volatile {
			p.str(" volatile")
		}
		if v.Mem.ReadOnly {
			p.str(" readonly")
		}
		if v.Mem.Copied {
			p.str(" copied")
		}
	}
}

// formatFloat returns the shortest decimal that reads back to x. A NaN shows
// its bits when they are not the usual ones, since a constant's are observable.
func formatFloat(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	case math.IsNaN(x):
		if bits := math.Float64bits(x); bits != math.Float64bits(math.NaN()) {
			return fmt.Sprintf("nan.%016x", bits)
		}
		return "nan"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
