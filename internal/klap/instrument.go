package klap

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Instruments of measurements (KLAP, section IV and Figures 9 and 11). Both name a variable of the program, so that its host
// code can set and read it.
//
// Parts. The bits of an int switch parts off. They are loaded, so that no compiler removes what is behind them:
//
//	child:          if (parts & 1) return;                // the work of children
//	child_agg:      if (parts & 2) { give; return; }      // finding the parent and the arguments, by blocks or by warps
//	child<<<...>>>: if (!(parts & 4)) launch; else give;  // launches in device code
//	__klap_end:     if (parts & 8) return;                // the aggregation logic
//
// Each makes sense with those before it alone. What the pool has for a launch is given back all the same. A kernel that
// launches itself keeps its work where it is not aggregated: its first launch is the host's.
//
// Residency. The first thread of each warp adds the nanoseconds that the kernel has taken to a 64-bit variable: over the time
// of the run and the warps that the device can hold that is the achieved occupancy.

// The bits of the variable of [Options].Parts.
const (
	PartChildren = 1 << iota
	PartSearch
	PartLaunch
	PartAggregation
)

// instrument adds the instruments. All other passes are in front of it.
func instrument(p *Program, run *pass.Run) error {
	if p.o.Parts == "" && p.o.Residency == "" {
		return nil
	}
	children := p.singleChildren()
	file := tree.Clone(p.info.File)
	for _, d := range file.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || f.Body == nil || !f.Attrs.Has(syntax.Global) && !f.Attrs.Has(syntax.Device) {
			continue
		}
		if p.o.Parts != "" {
			p.switchable(f, children[f.Name.Name])
			run.Count("switched", 1)
		}
		if p.o.Residency != "" && f.Attrs.Has(syntax.Global) {
			p.timed(f)
			run.Count("timed", 1)
		}
	}
	file.Decls = p.withLibrary(file.Decls)
	return p.set(file)
}

// A VariableError says that the program has no variable that [Options].Parts or Residency can name.
type VariableError struct {
	Flag, Name, Type string
	Have             []string // those that there are
}

func (e *VariableError) Error() string {
	return fmt.Sprintf("%s=%s: the program has no variable __device__ %s %s at file scope", e.Flag, e.Name, e.Type, e.Name)
}

// Hint says what the flag can name.
func (e *VariableError) Hint() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("the program has no variable of that type: declare one, as __device__ %s %s;", e.Type, e.Name)
	}
	const most = 8
	list := strings.Join(e.Have[:min(most, len(e.Have))], ", ")
	if len(e.Have) > most {
		list += fmt.Sprintf(" and %d others", len(e.Have)-most)
	}
	return fmt.Sprintf("%s can name %s", e.Flag, list)
}

// instruments checks that the program has the variables.
func (p *Program) instruments() error {
	for _, v := range []struct {
		flag, name, text string
		size             int64
	}{{"--parts", p.o.Parts, "int", 4}, {"--residency", p.o.Residency, "unsigned long long", 8}} {
		if v.name == "" {
			continue
		}
		var have []string
		for _, o := range p.info.Defs {
			if o.Kind == check.VarObj && o.Global && o.Attrs.Has(syntax.Device) && o.Type != nil && check.IsInteger(o.Type) && o.Type.Size() == v.size {
				have = append(have, o.Name)
			}
		}
		if !slices.Contains(have, v.name) {
			have = slices.DeleteFunc(have, func(name string) bool { return strings.HasPrefix(name, "_Z") }) // of a namespace: no flag names it
			slices.Sort(have)
			return &VariableError{v.flag, v.name, v.text, slices.Compact(have)}
		}
	}
	return nil
}

// singleChildren returns the kernels that device code launches as the program has them, but for those that launch themselves.
func (p *Program) singleChildren() map[string]bool {
	out := map[string]bool{}
	for _, s := range p.sites() {
		if s.child != nil && !strings.HasSuffix(s.child.Object.Name, aggregated("")) && !launchesItself(s.child) {
			out[s.child.Object.Name] = true
		}
	}
	return out
}

// launchesItself reports whether a kernel, or one of its descendants, launches it.
func launchesItself(k *check.FuncInfo) bool {
	var seen []*check.FuncInfo
	next := []*check.FuncInfo{k}
	for len(next) > 0 {
		f := next[0]
		next = next[1:]
		for _, g := range slices.Concat(f.Calls, f.Launches) {
			if g == k {
				return true
			}
			if !slices.Contains(seen, g) {
				seen, next = append(seen, g), append(next, g)
			}
		}
	}
	return false
}

// leaves is text that leaves a function if a part is switched off, behind what must be done all the same.
func (o Options) leaves(bit int, first string) string {
	return fmt.Sprintf("if ((%s & %d) != 0) {\n%sreturn;\n}\n", o.Parts, bit, first)
}

// switchable makes the parts that are in a function ones that can be switched off.
func (p *Program) switchable(f *syntax.FuncDecl, child bool) {
	tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
		x, ok := s.(*syntax.ExprStmt)
		if !ok {
			return []syntax.Stmt{s}
		}
		l, ok := x.X.(*syntax.LaunchExpr)
		if !ok {
			return []syntax.Stmt{s}
		}
		text := fmt.Sprintf("if ((%s & %d) == 0) {\nirgl_hole(0);\n}\n", p.o.Parts, PartLaunch)
		if strings.HasSuffix(syntax.String(l.Fun), aggregated("")) {
			text = strings.TrimSuffix(text, "\n") + " else {\n" + giveBack(syntax.String(l.Args[0])) + "}\n"
		}
		return tree.Template(text, []syntax.Stmt{s})
	}}.Rewrite(f.Body)
	front := ""
	switch {
	case child:
		front = p.o.leaves(PartChildren, "")
	case f.Attrs.Has(syntax.Global) && strings.HasSuffix(f.Name.Name, aggregated("")):
		front = p.o.leaves(PartSearch, "if (blockIdx.x == 0 && threadIdx.x == 0) {\n"+giveBack("__klap_launch")+"}\n")
	case strings.HasPrefix(f.Name.Name, endPrefix):
		drop := ""
		if slices.ContainsFunc(f.Params, func(q *syntax.Param) bool { return q.Name != nil && q.Name.Name == "chain" }) {
			drop = "__klap_drop(chain);\n"
		}
		front = p.o.leaves(PartAggregation, drop)
	}
	f.Body.Stmts = append(tree.Template(front), f.Body.Stmts...)
}

// giveBack is text that gives the list of an aggregated launch back to the pool.
func giveBack(launch string) string {
	return fmt.Sprintf("__klap_give((unsigned long long)%s.list->holders << 36);\n", launch)
}

// timed makes a kernel add the time of its warps.
func (p *Program) timed(f *syntax.FuncDecl) {
	const leave = "__klap_leave"
	returns := false
	tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
		if _, ok := s.(*syntax.ReturnStmt); ok {
			returns = true
			s = &syntax.GotoStmt{Span: tree.At(s), Name: tree.Ident(tree.At(s), leave)}
		}
		return []syntax.Stmt{s}
	}}.Rewrite(f.Body)
	out := tree.Block(tree.At(f.Body), tree.Template("unsigned long __klap_begin = __klap_now();\n")...)
	out.Stmts = append(out.Stmts, f.Body)
	if returns {
		out.Stmts = append(out.Stmts, &syntax.LabelStmt{Span: tree.At(f.Body), Name: tree.Ident(tree.At(f.Body), leave)})
	}
	out.Stmts = append(out.Stmts, tree.Template(fmt.Sprintf("__klap_spend(&%s, __klap_begin);\n", p.o.Residency))...)
	f.Body = out
}
