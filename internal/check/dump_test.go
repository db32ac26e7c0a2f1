package check

import (
	"fmt"
	"slices"
	"strings"

	"irgl/syntax"
)

// Dump prints what check found out about a file, one line an object or
// function, for goldens and debugging. It is not a language.
//
//	prop node level int output
//	global total double[4]
//	struct pair 8 align 4: a int @0, b int @4
//	kernel BFS(graph, int LEVEL) WL pop push reads level writes level
//	host bfs(node src) entry invokes BFS
func Dump(info *Info) string {
	var b strings.Builder
	for _, p := range info.Props {
		if p.Builtin {
			continue
		}
		fmt.Fprintf(&b, "prop %s %s %s%s\n", strings.ToLower(p.Of.String()), p.Object.Name, p.Object.Type, when(" output", p.Output))
	}
	for _, o := range info.Globals {
		fmt.Fprintf(&b, "global %s %s%s", o.Name, o.Type, when(" output", o.Attrs.Has(syntax.Output)))
		if o.Const != nil {
			fmt.Fprintf(&b, " = %s", formatConst(o.Const, o.Type))
		}
		b.WriteByte('\n')
	}
	for _, s := range info.Structs {
		dumpStruct(&b, s)
	}
	for _, f := range info.Funcs {
		dumpFunc(&b, info, f)
	}
	return b.String()
}

// when returns s if on holds, and otherwise "".
func when(s string, on bool) string {
	if on {
		return s
	}
	return ""
}

// formatConst prints a constant of type t as a Go literal.
func formatConst(c *Const, t Type) string {
	switch {
	case IsFloat(t):
		return fmt.Sprint(c.Float)
	case IsUnsigned(t):
		return fmt.Sprint(uint64(c.Int))
	}
	return fmt.Sprint(c.Int)
}

// dumpStruct prints the layout of s.
func dumpStruct(b *strings.Builder, s *Struct) {
	fmt.Fprintf(b, "%s %d align %d:", s, s.Size(), s.Align())
	for i, f := range s.Fields {
		fmt.Fprintf(b, "%s %s %s @%d", when(",", i > 0), f.Name, f.Type, f.Offset)
	}
	b.WriteByte('\n')
}

// dumpFunc prints what is known of f.
func dumpFunc(b *strings.Builder, info *Info, f *FuncInfo) {
	kind := [...]string{"func", "kernel", "host"}[f.Decl.Kind]
	if f.Object.Attrs.Has(syntax.Global) {
		kind = "global"
	}
	var params []string
	for _, p := range f.Params {
		params = append(params, strings.TrimSpace(p.Type.String()+" "+p.Name))
	}
	fmt.Fprintf(b, "%s %s(%s) %s", kind, f.Object.Name, strings.Join(params, ", "), f.Type.Result)
	for _, w := range []struct {
		on   bool
		word string
	}{
		{f.Decl.Kind == syntax.PlainFunc && f.Host, "host"}, {f.Decl.Kind == syntax.PlainFunc && f.Device, "device"},
		{info.Entry == f, "entry"}, {f.UsesWL, "WL"}, {f.Pops, "pop"}, {f.Pushes, "push"}, {f.Reduces, "reduce"},
		{f.Retries, "retry"}, {f.Respawns, "respawn"},
		{f.OuterFA, "forall"}, {f.Syncs, "syncs"}, {f.Recursive, "recursive"},
	} {
		b.WriteString(when(" "+w.word, w.on))
	}
	for i, a := range f.Aggrs {
		fmt.Fprintf(b, "%s%q", when(" aggrs ", i == 0)+when(",", i > 0), a.String())
	}
	for i, d := range slices.Concat(f.Locks, f.Adds) {
		word := "locks "
		if i >= len(f.Locks) {
			word = "adds "
		}
		b.WriteString(" " + word + strings.ToLower(d.String()))
	}
	if f.MaxThreads > 0 {
		fmt.Fprintf(b, " threads %d", f.MaxThreads)
	}
	objects := func(word string, list []*Object) {
		for i, o := range list {
			fmt.Fprintf(b, "%s%s", when(" "+word+" ", i == 0)+when(",", i > 0), o.Name)
		}
	}
	funcs := func(word string, list []*FuncInfo) {
		var os []*Object
		for _, g := range list {
			os = append(os, g.Object)
		}
		objects(word, os)
	}
	funcs("calls", f.Calls)
	funcs("invokes", f.Invokes)
	funcs("launches", f.Launches)
	objects("reads", f.Reads)
	objects("writes", f.Writes)
	b.WriteByte('\n')
}

// DumpExprs prints the type of every expression in the file, and the value of
// a constant one, a line each in order of position.
func DumpExprs(info *Info) string {
	type row struct {
		from, to int32
		text     string
	}
	var rows []row
	for e, t := range info.Types {
		pos, end := span(e)
		if !pos.IsValid() {
			continue
		}
		text := string(pos.File.Content[pos.Offset:max(pos.Offset, end.Offset)])
		line := fmt.Sprintf("%d: %s: %s", pos.Line(), strings.Join(strings.Fields(text), " "), t)
		if c := info.Consts[e]; c != nil {
			line += " = " + formatConst(c, t)
		}
		rows = append(rows, row{pos.Offset, end.Offset, line})
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.from != b.from {
			return int(a.from - b.from)
		}
		if a.to != b.to {
			return int(b.to - a.to)
		}
		return strings.Compare(a.text, b.text)
	})
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text + "\n")
	}
	return b.String()
}
