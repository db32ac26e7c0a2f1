package compile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/cpp"
	"irgl/internal/cxx"
	"irgl/internal/cxx/hir"
	"irgl/internal/devlib"
	"irgl/internal/dynpar"
	"irgl/internal/klap"
	"irgl/internal/lower"
	throughput "irgl/internal/opt"
	"irgl/internal/pass"
	"irgl/internal/ptx"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/opt"
	"irgl/internal/ssagen"
	"irgl/internal/suggest"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Options holds every knob of the compiler. The zero Options are the defaults.
type Options struct {
	Lower lower.Options
	Opt   opt.Options
	PTX   ptxgen.Options
	// WrapSigned lets signed integers of CUDA text wrap. Without it, their
	// overflow is undefined, as in C. In IrGL all integers wrap.
	WrapSigned bool
	// FastMath takes fast intrinsics for functions of floats in CUDA text.
	FastMath bool
	// Defines are macros to define before CUDA text, name to value.
	Defines map[string]string
	// CUDA says that the text is CUDA, whatever its file is called.
	CUDA bool
	// CXX compiles CUDA text as C++; nil for C.
	CXX *cxx.Options
	// Klap transforms launches in device code of CUDA text.
	Klap klap.Options
	// Wide gives distances (dist_t) 64 bits instead of 32.
	Wide bool
	// CPU checks an IrGL program for the CPU instead of a GPU: the last stage is check.
	CPU bool
	// Check verifies the program after every stage and pass.
	Check bool
	// Launches is how device code launches kernels.
	Launches dynpar.Way
	// Times and Stats, if not nil, are where Compile writes how long each stage
	// and pass took, and what the passes counted and made of the functions.
	Times, Stats io.Writer
	// Context ends the compilation, with its error; nil for none.
	Context context.Context
}

// A Unit is one program on its way through the stages.
type Unit struct {
	Source  *source.File
	Dialect syntax.Dialect
	FromSSA bool // the source is SSA, and there are no trees: see CompileSSA
	Options Options

	CXX      *cxx.Unit // of C++
	Tree     *syntax.File
	Info     *check.Info
	CUDA     *syntax.File
	CUDAInfo *check.Info
	// Dynpar is what the host has to know of launches in device code; nil without any.
	Dynpar *dynpar.Module
	// Klap says what became of launches in device code; nil without a transformation.
	Klap *klap.Report
	SSA  *ssa.Module
	PTX  *ptx.Module

	Diags  source.List
	Report *pass.Report // of the scalar passes
	// TreeReport is of the passes over the tree of an IrGL program.
	TreeReport *pass.Report
	Times      []StageTime

	done map[string]bool // stages that have run without an error
}

// A StageTime is how long a stage took.
type StageTime struct {
	Stage string
	Time  time.Duration
}

// A Stage is one row of the table.
type Stage struct {
	Name     string
	Doc      string
	IrGLOnly bool
	run      func(u *Unit) error
}

// Stages returns the stages in order.
func Stages() []Stage {
	return []Stage{
		{"parse", "text to syntax tree", false, parse},
		{"check", "names, types and rules", false, checkTree},
		{"lower", "IrGL to CUDA", true, lowerTree},
		{"recheck", "names and types of the CUDA program", true, recheck},
		{"ssagen", "device functions to SSA", false, generateSSA},
		{"opt", "scalar passes", false, optimise},
		{"ptxgen", "SSA to PTX", false, generatePTX},
	}
}

// Compile runs the stages on file up to and including the one called last; ""
// runs them all. The unit is returned with what was made also when there is an
// error.
func Compile(file *source.File, dialect syntax.Dialect, last string, o Options) (*Unit, error) {
	u := &Unit{Source: file, Dialect: dialect, Options: o, done: map[string]bool{}}
	if last != "" && !slices.ContainsFunc(Stages(), func(s Stage) bool { return s.Name == last }) {
		return u, fmt.Errorf("there is no stage %q", last)
	}
	if dialect == syntax.IrGL && last != "parse" && last != "check" {
		// What lower will ask for is read while the program is. An error comes
		// back then.
		go devlib.Load(devlib.Options{Index64: o.Lower.Index64, Limits: o.Lower.Limits})
	}
	stages := slices.DeleteFunc(Stages(), func(s Stage) bool { return s.IrGLOnly && dialect != syntax.IrGL })
	return u, u.runStages(stages, last)
}

// runStages runs the stages up to and including the one called last, and writes
// the times and counters that the options ask for.
func (u *Unit) runStages(stages []Stage, last string) error {
	o := u.Options
	before := map[string]int{} // operations of each function, for Stats
	for _, s := range stages {
		if o.Context != nil && o.Context.Err() != nil {
			return o.Context.Err()
		}
		if s.Name == "opt" && o.Stats != nil {
			before = maps.Collect(operations(u.SSA))
		}
		start := time.Now()
		err := u.guard(s)
		u.Times = append(u.Times, StageTime{s.Name, time.Since(start)})
		if err == nil {
			err = u.Diags.Err()
		}
		if err != nil {
			return err
		}
		u.done[s.Name] = true
		if s.Name == last {
			break
		}
	}
	if o.Times != nil {
		if err := u.writeTimes(o.Times); err != nil {
			return fmt.Errorf("write times: %w", err)
		}
	}
	if o.Stats != nil {
		if err := u.writeStats(o.Stats, before); err != nil {
			return fmt.Errorf("write counters: %w", err)
		}
	}
	return nil
}

func parse(u *Unit) error {
	if u.Dialect == syntax.IrGL && asdl.IsJSON(u.Source) {
		u.Tree = asdl.Decode(u.Source, &u.Diags)
		return nil
	}
	if u.isCXX() {
		u.CXX = cxx.Parse(u.Source, u.Options.cxx(), &u.Diags)
		return nil
	}
	u.Tree = syntax.ParseWith(u.Source, u.Dialect, &u.Diags, syntax.Options{Arch: u.Options.PTX.Arch(), Defines: u.Options.Defines})
	return nil
}

// isCXX reports whether the program is in C++.
func (u *Unit) isCXX() bool { return u.Dialect == syntax.CUDA && u.Options.CXX != nil }

// cxx returns the options of the C++ front end, with what the other options have to say to it.
func (o Options) cxx() cxx.Options {
	c := *o.CXX
	c.Arch = o.PTX.Arch()
	c.Defines = slices.Clone(c.Defines)
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		c.Defines = append(c.Defines, cpp.Define{Name: name, Value: o.Defines[name]})
	}
	return c
}

// lowerCXX analyses a C++ program and lowers it to the CUDA tree.
func lowerCXX(u *Unit) {
	if u.CXX.Check(u.Options.cxx(), &u.Diags); u.Diags.Errors() == 0 {
		u.Tree = u.CXX.Lower(&u.Diags)
	}
}

func checkTree(u *Unit) error {
	if u.isCXX() {
		if lowerCXX(u); u.Diags.Errors() > 0 {
			return nil
		}
	}
	o := check.Options{Wide: u.Options.Wide, CPU: u.Options.CPU}
	if u.isCXX() {
		o.Name = u.CXX.FunctionName
	}
	analysed := len(u.Diags.Diags)
	u.Info = check.CheckWith(u.Tree, &u.Diags, o)
	if u.isCXX() {
		u.Diags.Diags = withoutRepeated(u.Diags.Diags, analysed)
	}
	if u.Dialect == syntax.CUDA {
		u.CUDA, u.CUDAInfo = u.Tree, u.Info
		if u.Diags.Errors() == 0 {
			return transformLaunches(u)
		}
	}
	return nil
}

// transformLaunches transforms launches in device code.
func transformLaunches(u *Unit) error {
	o := u.Options.Klap
	o.HostLaunch = o.HostLaunch && !u.relocatable() // device code of other files may launch its kernels
	info, report, err := klap.Transform(u.Info, o, u.Options.tree(ofLaunches))
	if v, ok := errors.AsType[*klap.VariableError](err); ok {
		return v
	}
	if err != nil {
		return &internalError{"the launches in device code", err}
	}
	u.CUDA, u.CUDAInfo, u.Klap = info.File, info, report
	return nil
}

// withoutRepeated leaves out the warnings from the n-th diagnostic on that are of the place of one
// before: the analysis of C++ has said it.
func withoutRepeated(list []*source.Diagnostic, n int) []*source.Diagnostic {
	said := map[source.Pos]bool{}
	for _, d := range list[:n] {
		said[d.Pos] = true
	}
	return append(list[:n:n], slices.DeleteFunc(list[n:], func(d *source.Diagnostic) bool {
		return d.Severity == source.Warning && said[d.Pos]
	})...)
}

func lowerTree(u *Unit) error {
	var err error
	u.CUDA, u.TreeReport, err = throughput.Run(u.Info, &u.Diags, throughput.Options{Lower: u.Options.Lower, Tree: u.Options.tree(ofTree)})
	if err == nil && u.Diags.Errors() == 0 && len(u.Info.CBlocks) > 0 {
		lower.CheckForeign(u.Info, u.CUDA, u.Options.PTX.Arch(), &u.Diags)
	}
	return err
}

// recheck checks the lowered tree. An error in it is no fault of the program.
func recheck(u *Unit) error {
	var diags source.List
	u.CUDAInfo = check.Check(u.CUDA, &diags)
	if err := diags.Err(); err != nil {
		return &internalError{"the lowered program does not check", errors.New(err.Error())}
	}
	return nil
}

// generateSSA refuses C text that is for CUDA's compiler, at its place in the
// program.
func generateSSA(u *Unit) error {
	if len(u.Info.CBlocks)+len(u.Info.Foreign) > 0 {
		if info := lower.ParseForeign(u.Info, u.CUDA, u.Options.PTX.Arch(), &u.Diags); u.Diags.Errors() == 0 {
			u.CUDAInfo = info
		} else {
			return nil
		}
	}
	info := u.CUDAInfo
	if info, u.Dynpar = dynpar.Lower(info, dynpar.Options{Way: u.Options.Launches, Open: u.relocatable(), PerThread: u.Options.Klap.PerThread}, &u.Diags); u.Diags.Errors() > 0 {
		return nil
	}
	o := ssagen.Options{
		Undefined: u.Dialect == syntax.CUDA && !u.Options.WrapSigned,
		FastMath:  u.Options.FastMath,
		External:  u.relocatable() || u.Options.Launches == dynpar.ByLibrary,
		MaxParams: u.Options.PTX.MaxParams(),
	}
	if c := u.Options.CXX; c != nil && c.Host != nil {
		o.MaxLocal = c.Host.Stack
	}
	u.SSA = ssagen.Build(info, &u.Diags, o)
	if u.Options.Check && u.Diags.Errors() == 0 {
		if err := ssa.Verify(u.SSA); err != nil {
			return &internalError{"after ssagen", err}
		}
	}
	return nil
}

// PassNames returns the names of the passes over trees and of the scalar passes,
// in the order in which they run. Opt.Switch and Opt.PrintAfter take both.
func PassNames() []string {
	return slices.Concat(klap.Passes().Names(), throughput.Passes().Names(), opt.Passes().Names())
}

// ofTree reports whether name is a pass over the trees of IrGL programs.
func ofTree(name string) bool { return slices.Contains(throughput.Passes().Names(), name) }

// ofLaunches reports whether name is a pass over launches in device code.
func ofLaunches(name string) bool { return slices.Contains(klap.Passes().Names(), name) }

// ofScalars reports whether name is none of those, and so the name of a scalar pass or of nothing.
func ofScalars(name string) bool { return !ofTree(name) && !ofLaunches(name) }

// CheckPasses returns an error if Opt.Switch names a pass that there is not, or switches
// off one that is required.
func CheckPasses(switches map[string]bool) error {
	of := func(list func(name string) bool) map[string]bool {
		some := maps.Clone(switches)
		maps.DeleteFunc(some, func(name string, _ bool) bool { return !list(name) })
		return some
	}
	if err := throughput.Passes().CheckSwitches(of(ofTree)); err != nil {
		return err
	}
	if err := klap.Passes().CheckSwitches(of(ofLaunches)); err != nil {
		return err
	}
	return opt.Passes().CheckSwitches(of(ofScalars))
}

// tree returns the options of a list of passes over trees.
func (o Options) tree(of func(name string) bool) tree.Options {
	t := tree.Options{Switch: map[string]bool{}, Verify: o.Check || o.Opt.Verify, Out: o.Opt.Out}
	for name, on := range o.Opt.Switch {
		if of(name) {
			t.Switch[name] = on
		}
	}
	for _, name := range o.Opt.PrintAfter {
		if name == "all" || of(name) {
			t.PrintAfter = append(t.PrintAfter, name)
		}
	}
	t.Remark = o.Opt.Remark
	return t
}

// scalar returns the options of the scalar passes, with what the other options
// have to say to them.
func (o Options) scalar() opt.Options {
	s := o.Opt
	s.Switch = maps.Clone(s.Switch)
	maps.DeleteFunc(s.Switch, func(name string, _ bool) bool { return !ofScalars(name) })
	s.PrintAfter = slices.DeleteFunc(slices.Clone(s.PrintAfter), func(name string) bool { return !ofScalars(name) })
	s.Verify = s.Verify || o.Check
	s.Context = o.Context
	s.Doubles = s.Doubles || o.PTX.FastDoubles()
	s.Contract = s.Contract || o.PTX.FuseMulAdd
	return s
}

func optimise(u *Unit) error {
	o := u.Options.scalar()
	o.Keep = u.kept()
	report, err := opt.Run(u.SSA, o)
	u.Report = report
	return err
}

// generatePTX selects instructions and registers. With lines, a source that is
// a file goes by its absolute path, under which profilers look for it.
func generatePTX(u *Unit) error {
	o := u.Options.PTX
	if _, err := ptxgen.Generate(&ssa.Module{}, o); err != nil {
		return err // the options
	}
	if ptxgen.Refuse(u.SSA, o, &u.Diags); u.Diags.Errors() > 0 {
		return nil
	}
	if o.Lines && len(u.Info.CBlocks) > 0 {
		positionOutsideTexts(u.SSA, u.Info.CBlocks)
	}
	if o.Lines && o.Paths == nil {
		if st, err := os.Stat(u.Source.Name); err == nil && st.Mode().IsRegular() {
			if path, err := filepath.Abs(u.Source.Name); err == nil {
				o.Paths = map[string]string{u.Source.Name: path}
			}
		}
	}
	o.Linkage = u.linkage()
	m, err := ptxgen.Generate(u.SSA, o)
	if err != nil {
		return &internalError{"ptxgen", err}
	}
	u.PTX = m
	if u.Dialect == syntax.CUDA {
		u.checkShared()
	}
	if u.Options.Check {
		if err := ptx.Verify(m); err != nil {
			return &internalError{"after ptxgen", err}
		}
	}
	return nil
}

// ByLibrary returns the unit with its launches by CUDA's device runtime, compiled from the tree on.
// The kernels and the variables that the host names are those of u.
func (u *Unit) ByLibrary() (*Unit, error) {
	v := &Unit{Source: u.Source, Dialect: u.Dialect, Options: u.Options, CXX: u.CXX, Tree: u.Tree, Info: u.Info, CUDA: u.CUDA, CUDAInfo: u.CUDAInfo, done: map[string]bool{}}
	v.Options.Launches, v.Options.Times, v.Options.Stats = dynpar.ByLibrary, nil, nil
	stages := Stages()
	from := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == "ssagen" })
	return v, v.runStages(stages[from:], "")
}

// PTXText returns the PTX as text.
func (u *Unit) PTXText() string { return ptx.Print(u.PTX) }

// prelude begins every .cu text: it makes the text self-contained for nvcc.
const prelude = `// Made by irgl from %s. Compile with nvcc, or run its PTX with irgl run --ptx.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

`

// oneLine returns a file's name for a comment or the name of a part of an archive:
// with escapes where it has a line end or another character that is not printed.
func oneLine(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// lastStage names, for each form that Emit prints, the stage that makes it.
var lastStage = map[string]string{"ast": "parse", "json": "check", "hir": "check", "cu": "recheck", "ssa": "opt", "analysis": "opt", "ptx": "ptxgen"}

// StageFor returns the stage that makes what Emit prints as form: "ast", "json",
// "hir", "cu", "ssa", "ptx", or "analysis", which may be followed by "=" and a list of
// [Analyses].
func StageFor(form string) (string, error) {
	name, _, err := splitForm(form)
	if err != nil {
		return "", err
	}
	s, ok := lastStage[name]
	if !ok {
		forms := []string{"ast", "json", "hir", "cu", "ssa", "analysis", "ptx"}
		return "", fmt.Errorf("there is no form %q (there are %s)%s", name, strings.Join(forms, ", "), suggest.Hint(name, forms))
	}
	return s, nil
}

// Emit prints one form of the program, which [Compile] must have reached.
func (u *Unit) Emit(w io.Writer, form string) error {
	stage, err := StageFor(form)
	if err != nil {
		return err
	}
	form, analyses, err := splitForm(form)
	if err != nil {
		return err
	}
	if u.Dialect == syntax.CUDA && form == "cu" {
		stage = "check"
	}
	if !u.done[stage] {
		return fmt.Errorf("the program is not compiled as far as %s", form)
	}
	switch form {
	case "hir":
		if !u.isCXX() {
			return errors.New("the semantic tree (hir) is of programs in C++")
		}
		_, err := io.WriteString(w, hir.Print(u.CXX.HIR))
		return err
	case "json":
		return asdl.Encode(w, u.Tree)
	case "ast":
		if u.isCXX() {
			return u.CXX.Dump(w)
		}
		return syntax.Dump(w, u.Tree)
	case "cu":
		if u.Dialect == syntax.IrGL || u.isCXX() {
			if _, err := fmt.Fprintf(w, prelude, oneLine(u.Source.Name)); err != nil {
				return err
			}
			if tree.Mentions(u.CUDA, "assert") {
				fmt.Fprintln(w, "#include <assert.h>")
			}
		}
		return syntax.Print(w, klap.Text(u.CUDA))
	case "ssa":
		return ssa.Print(w, u.SSA)
	case "analysis":
		return u.writeAnalyses(w, analyses)
	}
	_, err = io.WriteString(w, u.PTXText())
	return err
}
