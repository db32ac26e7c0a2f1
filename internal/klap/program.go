package klap

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A Program is what the passes of this package work on.
type Program struct {
	info   *check.Info // of the file as it is
	o      Options
	report *Report
	notes  notes
	// promoted are the kernels that promotion has made, and their functions.
	promoted map[string]bool
	serial   serialised
	taken    tree.Names // what the program declares, before it is transformed
	// aggregated says that aggregation has reported the launches.
	aggregated bool
}

// File returns the program as it is.
func (p *Program) File() *syntax.File { return p.info.File }

// Whole returns the program as it is: its library is in it.
func (p *Program) Whole() (*syntax.File, error) { return p.info.File, nil }

// set makes f the program.
func (p *Program) set(f *syntax.File) error {
	var found source.List
	unshadowed(f.Decls)
	info := check.Check(f, &found)
	if err := found.Err(); err != nil {
		return fmt.Errorf("the transformed program does not check: %w", err)
	}
	p.info = info
	return nil
}

var passes = pass.MustList([]pass.Pass[*Program]{
	{Name: "klap-wait", Doc: "calls of cudaDeviceSynchronize at the ends of kernels go", Fn: waits},
	{Name: "klap-promote", Doc: "kernels that launch themselves begin before they are launched", Source: "KLAP, section III", Fn: promote},
	{Name: "klap-threshold", Doc: "threads do launches of few threads themselves", Source: "Olabi et al., CGO 2022", Fn: threshold},
	{Name: "klap-coarsen", Doc: "blocks of children do several blocks", Source: "Olabi et al., CGO 2022", Fn: coarsen},
	{Name: "klap-aggregate", Doc: "launches of the threads of a group become one", Source: "KLAP, section II", Fn: aggregate},
	{Name: "klap-instrument", Doc: "parts can be switched off, and warps add their times", Source: "KLAP, section IV", Fn: instrument},
}, []pass.Order{
	{Before: "klap-wait", After: "klap-promote", Reason: "a kernel that waits at its end has one without the call"},
	{Before: "klap-promote", After: "klap-threshold", Reason: "a launch that a thread does is none of an instance"},
	{Before: "klap-promote", After: "klap-coarsen", Reason: "the launch of a copy is none of the kernel by itself"},
	{Before: "klap-promote", After: "klap-aggregate", Reason: "an aggregated launch is a call"},
	{Before: "klap-threshold", After: "klap-coarsen", Reason: "the size of a launch is that of the program"},
	{Before: "klap-threshold", After: "klap-aggregate", Reason: "no launch of few threads remains to be joined"},
	{Before: "klap-coarsen", After: "klap-aggregate", Reason: "the blocks of an aggregated kernel are of many launches"},
	{Before: "klap-aggregate", After: "klap-instrument", Reason: "what is measured is the transformed program"},
	{Before: "klap-wait", After: "klap-aggregate", Reason: "launches move behind the wait, which is the end no more"},
})

// Passes returns the list of the passes.
func Passes() *pass.List[*Program] { return passes }

// Transform returns the program with the transformations that the options ask for, checked, and
// what became of each launch. Without any it returns info and no report.
func Transform(info *check.Info, o Options, run tree.Options) (*check.Info, *Report, error) {
	if !o.On() {
		return info, nil, nil
	}
	if o.AutoFlatten {
		o.WholeBlocks = o.large()
	}
	p := &Program{o: o, report: &Report{}}
	if err := p.set(tree.Clone(info.File)); err != nil {
		return nil, nil, err
	}
	p.taken = tree.Names{}
	for _, o := range p.info.Defs {
		p.taken[o.Name] = true
	}
	for _, f := range p.info.Funcs {
		p.taken[f.Object.Name] = true
	}
	if err := p.instruments(); err != nil {
		return nil, nil, err
	}
	if p.written() {
		for _, s := range p.sites() {
			p.report.Sites = append(p.report.Sites, Site{Pos: s.launch.Pos(), Parent: p.readable(s.fn.Object.Name), Child: p.kernelName(syntax.String(s.launch.Fun)),
				Before: []string{"not transformed: " + reasonWritten}})
		}
		p.finish()
		return p.info, p.report, nil
	}
	if o.Automatic {
		p.o.Granularity = p.granularity()
	}
	if _, err := tree.Run(passes, p, run); err != nil {
		return nil, nil, err
	}
	p.finish()
	return p.info, p.report, nil
}

const reasonWritten = "the text is of irgl klap: transform the program that it was made of"

// written reports whether the program is one that has been transformed and printed. Another library
// beside that in its text would not compile.
func (p *Program) written() bool {
	return slices.ContainsFunc(p.info.File.Decls, func(d syntax.Decl) bool {
		f, ok := d.(*syntax.FuncDecl)
		return ok && strings.Contains(f.Name.Name, "__klap_")
	})
}
