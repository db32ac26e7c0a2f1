package cudabuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/dynpar"
	"irgl/internal/infile"
	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/syntax"
)

// ErrReported says that diagnostics have been written.
var ErrReported = errors.New("errors were reported")

// compileDevice compiles the device code of a source, with the kernels of the given
// symbols, and writes diagnostics to stderr.
func compileDevice(ctx context.Context, path string, kernels []string, o *Options, stderr io.Writer) (*Device, error) {
	d, diags, err := CompileDevice(ctx, path, kernels, o)
	if diags != nil {
		if err := o.reported(diags, stderr); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = o.explain(d, stderr)
	}
	return d, err
}

// explain writes what became of launches in device code, if that is asked for.
func (o *Options) explain(d *Device, w io.Writer) error {
	if !o.Explain || d == nil || d.Klap == nil {
		return nil
	}
	return d.Klap.Write(w)
}

// warnings does to warnings of device code what -w and -Werror all-warnings say.
func (o *Options) warnings(diags *source.List) {
	if o.Strict {
		for _, d := range diags.Diags {
			if d.Severity == source.Warning {
				d.Severity = source.Error
			}
		}
	}
	if slices.Contains(o.Host, "-w") {
		diags.Diags = slices.DeleteFunc(diags.Diags, func(d *source.Diagnostic) bool { return d.Severity == source.Warning })
	}
}

// warningLevel returns which warnings of device code the flags for the host's compiler ask for.
func (o *Options) warningLevel() int {
	level := 0
	for _, f := range o.Host {
		switch f {
		case "-Wall":
			level = max(level, 1)
		case "-Wextra", "-W":
			level = 2
		}
	}
	return level
}

// Check compiles the device code of the sources and writes diagnostics to stderr.
func Check(ctx context.Context, o *Options, stderr io.Writer) error {
	if slices.Contains(o.Inputs, "-") {
		dir, err := os.MkdirTemp("", "irgl-check-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if o, err = o.WithStdin(dir); err != nil {
			return err
		}
	}
	if err := o.checkInputs(); err != nil {
		return err
	}
	check, failed := *o, error(nil)
	check.unreached = true
	for _, path := range o.sources() {
		u, err := check.Unit(ctx, path, nil)
		if u == nil {
			return err
		}
		switch err := check.reported(&u.Diags, stderr); {
		case err != nil:
			failed = errors.Join(failed, err)
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		u.WriteDoubts(stderr)
	}
	return failed
}

// reported writes diagnostics, and returns [ErrReported] if there are errors.
func (o *Options) reported(diags *source.List, stderr io.Writer) error {
	o.warnings(diags)
	diags.Render(stderr)
	if diags.Errors() > 0 {
		return ErrReported
	}
	return nil
}

// CompileDevice compiles the device code of a source as [Options.Unit] does.
func CompileDevice(ctx context.Context, path string, kernels []string, o *Options) (*Device, *source.List, error) {
	u, err := o.Unit(ctx, path, kernels)
	if u == nil {
		return nil, nil, err
	}
	if err != nil {
		return nil, &u.Diags, err
	}
	d := describe(u)
	d.Klap = u.Klap
	if o.Relocate {
		d.relocate(u)
	}
	if o.byLibrary(d) {
		v, err := u.ByLibrary()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: launches by the device runtime: %w", path, err)
		}
		if o.Relocate {
			ptx.Rename(v.PTX, d.Names)
		}
		d.ByLibrary = v.PTXText()
	}
	return d, &u.Diags, nil
}

// byLibrary reports whether a program has its launches in device code by CUDA's device runtime, too. A
// kernel of another file needs to be linked with the code that launches it.
func (o *Options) byLibrary(d *Device) bool {
	needed := !o.unreached && (o.Mode != PTX || o.DeviceRuntime != "")
	return needed && o.DeviceRuntime != "none" && len(d.Sites) > 0 &&
		(o.Relocate || !slices.ContainsFunc(d.Launched, func(k Kernel) bool { return k.Elsewhere }))
}

// Unit compiles the device code of a source to PTX. kernels are the symbols of the
// stubs that the host's code has; nil for the kernels that are no templates and the
// instances that the launches in the text name.
func (o *Options) Unit(ctx context.Context, path string, kernels []string) (*compile.Unit, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, infile.Plain(err)
	}
	opts, err := o.CompileOptions(ctx, kernels)
	if err != nil {
		return nil, err
	}
	return compile.Compile(source.NewFile(path, text), syntax.CUDA, "", opts)
}

// CompileOptions returns the options of the device compiler.
func (o *Options) CompileOptions(ctx context.Context, kernels []string) (compile.Options, error) {
	in, err := instances(kernels)
	if err != nil {
		return compile.Options{}, err
	}
	p := o.Preprocessing()
	c := compile.Options{Context: ctx, CXX: &cxx.Options{Std: o.standard(), User: p.Includes, System: p.System, Defines: p.Defines, Forced: quotedNames(p.Forced),
		Instances: append(in.names, o.Instances...), Symbols: in.symbols, Closures: in.closures, Unreached: o.unreached, Textures: o.Textures, Relocatable: o.Relocate, Warnings: o.warningLevel()}}
	// Lines cost nothing, and the emulator's reports and profilers show them.
	c.PTX.Target, c.PTX.Lines, c.PTX.MaxRegisters = o.Target, true, o.Registers
	o.Math.apply(&c)
	c.Klap = o.Klap
	return c, nil
}

// apply sets the options of the compiler.
func (m Math) apply(c *compile.Options) {
	c.FastMath, c.PTX.FlushDenormals, c.PTX.FuseMulAdd = m.Intrinsics, m.Flush, !m.Separate
	switch {
	case m.Intrinsics:
		c.PTX.Division = "approx"
	case m.FastDivision:
		c.PTX.Division = "full"
	}
	if m.FastRoot {
		c.PTX.SquareRoot = "approx"
	}
}

// quotedNames returns files of -include as the preprocessor takes them. They are looked for in the
// working folder first.
func quotedNames(forced []string) []string {
	var out []string
	for _, name := range forced {
		if abs, err := filepath.Abs(name); err == nil {
			if _, err := os.Stat(abs); err == nil {
				name = abs
			}
		}
		out = append(out, strconv.Quote(name))
	}
	return out
}

// standard returns the value of __cplusplus for device code.
func (o *Options) standard() int {
	switch strings.TrimPrefix(strings.Replace(o.Std, "gnu++", "c++", 1), "c++") {
	case "20", "2a":
		return 202002
	case "23":
		return 202302
	}
	return 201703
}

// describe returns a program's PTX and what the host names of it.
func describe(u *compile.Unit) *Device {
	d := &Device{PTX: u.PTXText(), Includes: u.CXX.Includes, Textures: textures(u)}
	entries := map[string]int{}
	for _, decl := range u.PTX.Decls {
		if f, ok := decl.(*ptx.Func); ok && f.Entry && !f.Proto {
			k := kernel(f)
			k.Launches = u.Dynpar != nil && u.Dynpar.Launching[k.Symbol]
			if u.Klap != nil {
				k.Behind = u.Klap.Behind[k.Symbol]
			}
			entries[k.Symbol] = len(d.Kernels)
			d.Kernels = append(d.Kernels, k)
		}
	}
	if u.Dynpar != nil {
		d.Sites = u.Dynpar.Sites
		for _, k := range u.Dynpar.Kernels {
			d.Launched = append(d.Launched, launched(k, d.Kernels, entries))
		}
	}
	for _, decl := range u.CUDA.Decls {
		vars, ok := decl.(*syntax.VarDecls)
		if !ok || vars.Attrs.Has(syntax.Extern) {
			continue
		}
		kind, ok := variableKind(vars.Attrs)
		if !ok {
			continue
		}
		for _, v := range vars.Vars {
			if obj := u.CUDAInfo.Defs[v.Name]; obj != nil && obj.Type != nil {
				d.Variables = append(d.Variables, Variable{v.Name.Name, obj.Type.Size(), kind})
			}
		}
	}
	return d
}

// textures returns how a program reads textures and surfaces: inline PTX may have the instructions, too.
func textures(u *compile.Unit) (flags TextureFlags) {
	if u.CXX.LoadsTextures() {
		flags |= SoftwareTextures
	}
	for _, decl := range u.PTX.Decls {
		if f, ok := decl.(*ptx.Func); ok && ptx.ReadsTextures(f.Body) {
			flags |= HardwareTextures
		}
	}
	return flags
}

// launched returns a kernel that device code launches: an entry, or one of another file.
func launched(k dynpar.Kernel, entries []Kernel, index map[string]int) Kernel {
	if i, ok := index[k.Symbol]; ok {
		return entries[i]
	}
	out := Kernel{Symbol: k.Symbol, Bytes: k.Bytes, Elsewhere: true}
	for _, p := range k.Params {
		out.Params = append(out.Params, Param(p))
	}
	return out
}

// kernel returns an entry with the places of its parameters.
func kernel(f *ptx.Func) Kernel {
	k := Kernel{Symbol: f.Name}
	for _, p := range f.Params {
		size, _ := p.ByteSize()
		align := int64(max(p.Align, p.Type.Size(), 1))
		at := (k.Bytes + align - 1) / align * align
		k.Params = append(k.Params, Param{at, size})
		k.Bytes = at + size
	}
	return k
}

func variableKind(a syntax.Attrs) (VariableKind, bool) {
	switch {
	case a.Has(syntax.Managed):
		return ManagedVariable, true
	case a.Has(syntax.Constant):
		return ConstantVariable, true
	case a.Has(syntax.Device):
		return DeviceVariable, true
	}
	return 0, false
}

// baseName returns the name of a kernel without qualifiers and template arguments.
func baseName(symbol string) string {
	name := demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams)
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return name
}
