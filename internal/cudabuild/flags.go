package cudabuild

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/cpp"
	"irgl/internal/cxx/headers"
	"irgl/internal/klap"
	"irgl/internal/suggest"
)

// A Mode is what is made of the inputs.
type Mode uint8

// The modes.
const (
	Program       Mode = iota // compile and link
	Object                    // -c, -dc: an object for each source
	PTX                       // -ptx: the PTX of each source
	Preprocess                // -E: the text that the host's preprocessor gives
	Shared                    // -shared: a shared library
	Library                   // -lib: an archive of the objects
	Runtime                   // --runtime: the runtime as a library, for other linkers
	DeviceLink                // -dlink: an object with the device code of others, linked
	Version                   // --version: what it stands in for
	Architectures             // --list-gpu-arch, --list-gpu-code: those that there is PTX for
)

// Options are what a command line asks for.
type Options struct {
	Mode     Mode
	Inputs   []string // sources (.cu, .c, .cc, .cpp, .cxx), objects and libraries, in order
	Output   string   // "" for nvcc's: a.out, or the source's name with another suffix
	Target   string   // the architecture that PTX is for, such as sm_90; "" for the least
	CXX      string   // the host's compiler; "" for $CXX, g++, clang++, c++
	Std      string   // c++17 or later; "" for c++17
	Language string   // of -x: "cu" takes every source for CUDA; "" goes by suffixes
	Folder   string   // -odir: of the outputs without -o

	Includes       []string     // -I
	SystemIncludes []string     // -isystem
	Forced         []string     // -include
	Defines        []cpp.Define // -D and -U, in order
	Instances      []string     // --instance: of template kernels, as C++ names them
	Host           []string     // for the host's compiler: -O3, -g, -fopenmp, what -Xcompiler has
	Link           []string     // for the linker, in order with Inputs by Order: -lm, -L/usr/lib
	Depend         []string     // -MD, -MF file ...: what the preprocessor writes for make

	Math      Math
	Textures  headers.Textures // --textures: how device code reads them
	Relocate  bool             // -rdc=true, -dc: device functions of other files may be called
	Strict    bool             // -Werror all-warnings: warnings of device code are errors
	Verbose   bool             // -v: show the commands
	DryRun    bool             // --dryrun: show them and do nothing
	Keep      bool             // keep what is made on the way
	Registers int              // -maxrregcount; 0 for none

	// DeviceRuntime is -cudadevrt: "none" for launches in device code by the queue alone, or the path of
	// CUDA's libcudadevrt.a, which the program then has in it; "" or "static" for one that it looks for.
	DeviceRuntime string

	// Klap transforms launches in device code; Explain says what becomes of them.
	Klap    klap.Options
	Explain bool

	unreached bool // functions that no kernel reaches are analysed, too

	// Notes are about options that are taken for another or have no effect.
	Notes []string
}

// Math is how precise operations of floats are.
type Math struct {
	Flush        bool // -ftz=true: subnormal numbers are zeros
	FastDivision bool // -prec-div=false
	FastRoot     bool // -prec-sqrt=false
	Separate     bool // -fmad=false: products and sums are rounded each
	Intrinsics   bool // sinf is __sinf
}

// FastMath returns what -use_fast_math sets.
func FastMath() Math { return Math{Flush: true, FastDivision: true, FastRoot: true, Intrinsics: true} }

// maxRegisters is the number of registers that a thread can have.
const maxRegisters = 255

// A UsageError is a wrong command line.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// An option is a row of the table: how it takes its value, and what it does.
type option struct {
	names []string
	value valueKind
	do    func(o *Options, value string) error
}

type valueKind uint8

const (
	noValue  valueKind = iota
	anyValue           // in the same argument, with or without =, or in the next one
	glued              // in the same argument, and may be none
)

// noEffect is what options do that concern tools, or limits of tools, that irgl does not have.
func noEffect(*Options, string) error { return nil }

func add(list func(*Options) *[]string, prefix string) func(*Options, string) error {
	return func(o *Options, v string) error {
		p := list(o)
		*p = append(*p, prefix+v)
		return nil
	}
}

func hostFlags(o *Options) *[]string { return &o.Host }
func linkFlags(o *Options) *[]string { return &o.Link }

// split divides the value of an -X option as nvcc does, at commas; and at blanks, as
// shells hand over quoted lists.
func split(list func(*Options) *[]string, prefix string) func(*Options, string) error {
	return func(o *Options, v string) error {
		p := list(o)
		for _, s := range strings.FieldsFunc(v, func(c rune) bool { return c == ',' || c == ' ' }) {
			*p = append(*p, prefix+s)
		}
		return nil
	}
}

// linker passes what -Xlinker has on.
func linker(o *Options, v string) error {
	o.Link = append(o.Link, "-Wl,"+strings.ReplaceAll(v, " ", ","))
	return nil
}

// depend passes a flag to the preprocessor, which writes dependencies for make.
func depend(flag string) func(*Options, string) error {
	return func(o *Options, _ string) error { o.Depend = append(o.Depend, flag); return nil }
}

func dependValue(flag string) func(*Options, string) error {
	return func(o *Options, v string) error { o.Depend = append(o.Depend, flag, v); return nil }
}

// dependOnly makes nothing but the dependencies.
func dependOnly(flag string) func(*Options, string) error {
	return func(o *Options, _ string) error {
		o.Mode = Preprocess
		o.Depend = append(o.Depend, flag)
		return nil
	}
}

func set(field func(*Options) *bool) func(*Options, string) error {
	return func(o *Options, _ string) error { *field(o) = true; return nil }
}

// transform reads an option of the transformation of launches in device code.
func transform(name string, set func(o *klap.Options, v string) error) func(*Options, string) error {
	return func(o *Options, v string) error {
		if err := set(&o.Klap, v); err != nil {
			return usage("%s %s: %s", name, v, err)
		}
		return nil
	}
}

// truth reads true or false.
func truth(set func(o *Options, v bool)) func(*Options, string) error {
	return func(o *Options, v string) error {
		switch v {
		case "true", "false":
			set(o, v == "true")
			return nil
		}
		return usage("%s: true or false is expected", v)
	}
}

// textures reads how device code reads textures and surfaces.
func (o *Options) textures(v string) error {
	switch v {
	case "software":
		o.Textures = headers.SoftwareTextures
	case "hardware":
		o.Textures = headers.HardwareTextures
	default:
		return usage("--textures %s: software or hardware is expected", v)
	}
	return nil
}

func mode(m Mode) func(*Options, string) error {
	return func(o *Options, _ string) error { o.Mode = m; return nil }
}

// options are nvcc's, each with all of its names, and those of g++ that are passed on.
// Longer names precede those that they begin with.
var options = sync.OnceValue(func() []option {
	return []option{
		{[]string{"-odir", "--output-directory"}, anyValue, func(o *Options, v string) error { o.Folder = v; return nil }},
		{[]string{"-o", "--output-file"}, anyValue, func(o *Options, v string) error { o.Output = v; return nil }},
		{[]string{"-c", "--compile"}, noValue, mode(Object)},
		{[]string{"-dc", "--device-c"}, noValue, func(o *Options, _ string) error { o.Mode, o.Relocate = Object, true; return nil }},
		{[]string{"-dw", "--device-w"}, noValue, mode(Object)},
		{[]string{"-dlink", "--device-link"}, noValue, mode(DeviceLink)},
		{[]string{"-lib", "--lib"}, noValue, mode(Library)},
		{[]string{"-V", "--version"}, noValue, mode(Version)},
		{[]string{"-arch-ls", "--list-gpu-arch"}, noValue, func(o *Options, _ string) error { o.Mode, o.Output = Architectures, "compute_"; return nil }},
		{[]string{"-code-ls", "--list-gpu-code"}, noValue, func(o *Options, _ string) error { o.Mode, o.Output = Architectures, "sm_"; return nil }},
		{[]string{"-run", "--run"}, noValue, func(*Options, string) error {
			return usage("-run: irgl cuda run FILE.cu ARGUMENTS builds a program and runs it")
		}},
		{[]string{"-cubin", "--cubin", "-fatbin", "--fatbin"}, noValue, func(*Options, string) error {
			return usage("-cubin and -fatbin: these are files of ptxas, which irgl does not have; -ptx makes PTX, which cuModuleLoad takes too")
		}},
		{[]string{"--instance"}, anyValue, func(o *Options, v string) error { o.Instances = append(o.Instances, v); return nil }},
		{[]string{"--runtime"}, anyValue, func(o *Options, v string) error { o.Mode, o.Folder = Runtime, v; return nil }},
		{[]string{"-ptx", "--ptx"}, noValue, mode(PTX)},
		{[]string{"-E", "--preprocess"}, noValue, mode(Preprocess)},
		{[]string{"-shared", "--shared"}, noValue, mode(Shared)},
		{[]string{"-rdc", "--relocatable-device-code"}, anyValue, func(o *Options, v string) error { o.Relocate = v == "true"; return nil }},
		{[]string{"-arch", "--gpu-architecture"}, anyValue, (*Options).arch},
		{[]string{"-code", "--gpu-code"}, anyValue, noEffect},
		{[]string{"-gencode", "--generate-code"}, anyValue, (*Options).gencode},
		{[]string{"-ccbin", "--compiler-bindir"}, anyValue, func(o *Options, v string) error { o.CXX = v; return nil }},
		{[]string{"-std", "--std"}, anyValue, (*Options).std},
		{[]string{"-x", "--x"}, anyValue, func(o *Options, v string) error { o.Language = v; return nil }},
		{[]string{"-isystem", "--system-include"}, anyValue, add(func(o *Options) *[]string { return &o.SystemIncludes }, "")},
		{[]string{"-include", "--pre-include"}, anyValue, add(func(o *Options) *[]string { return &o.Forced }, "")},
		{[]string{"-I", "--include-path"}, anyValue, add(func(o *Options) *[]string { return &o.Includes }, "")},
		{[]string{"-D", "--define-macro"}, anyValue, (*Options).define},
		{[]string{"-U", "--undefine-macro"}, anyValue, func(o *Options, v string) error {
			o.Defines = append(o.Defines, cpp.Define{Name: v, Undef: true})
			return nil
		}},
		{[]string{"-lineinfo", "--generate-line-info"}, noValue, noEffect}, // they are always there
		{[]string{"-L", "--library-path"}, anyValue, add(linkFlags, "-L")},
		{[]string{"-l", "--library"}, anyValue, (*Options).library},
		{[]string{"-Xcompiler", "--compiler-options"}, anyValue, split(hostFlags, "")},
		{[]string{"-Xlinker", "--linker-options"}, anyValue, linker},
		{[]string{"-Xptxas", "--ptxas-options", "-Xnvlink", "--nvlink-options", "-Xfatbin", "-Xarchive", "-Xcudafe", "-Xnvvm"}, anyValue, noEffect},
		{[]string{"-use_fast_math", "--use_fast_math"}, noValue, func(o *Options, _ string) error { o.Math = FastMath(); return nil }},
		{[]string{"-ftz", "--ftz"}, anyValue, truth(func(o *Options, v bool) { o.Math.Flush = v })},
		{[]string{"-prec-div", "--prec-div"}, anyValue, truth(func(o *Options, v bool) { o.Math.FastDivision = !v })},
		{[]string{"-prec-sqrt", "--prec-sqrt"}, anyValue, truth(func(o *Options, v bool) { o.Math.FastRoot = !v })},
		{[]string{"-fmad", "--fmad"}, anyValue, truth(func(o *Options, v bool) { o.Math.Separate = !v })},
		{[]string{"--textures"}, anyValue, (*Options).textures},
		{[]string{"-maxrregcount", "--maxrregcount"}, anyValue, func(o *Options, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 0 {
				return usage("-maxrregcount %s: a number of registers is expected", v)
			}
			if n > maxRegisters {
				o.Notes = append(o.Notes, fmt.Sprintf("-maxrregcount %d: a thread has at most %d registers", n, maxRegisters))
				n = 0
			}
			o.Registers = n
			return nil
		}},
		{[]string{"-G", "--device-debug"}, noValue, noEffect},
		{[]string{"-v", "--verbose"}, noValue, set(func(o *Options) *bool { return &o.Verbose })},
		{[]string{"-dryrun", "--dryrun"}, noValue, set(func(o *Options) *bool { return &o.DryRun })},
		{[]string{"-keep", "--keep", "-save-temps", "--save-temps"}, noValue, set(func(o *Options) *bool { return &o.Keep })},
		{[]string{"-MMD"}, noValue, depend("-MMD")},
		{[]string{"-MD", "--generate-dependencies-with-compile"}, noValue, depend("-MD")},
		{[]string{"-MP"}, noValue, depend("-MP")},
		{[]string{"-MM"}, noValue, dependOnly("-MM")},
		{[]string{"-M", "--generate-dependencies"}, noValue, dependOnly("-M")},
		{[]string{"-MF", "--dependency-output"}, anyValue, dependValue("-MF")},
		{[]string{"-MT"}, anyValue, dependValue("-MT")},
		{[]string{"-MQ"}, anyValue, dependValue("-MQ")},
		{[]string{"-w", "--disable-warnings"}, noValue, add(hostFlags, "-w")},
		{[]string{"-g", "--debug"}, noValue, add(hostFlags, "-g")},
		{[]string{"-pg", "--profile"}, noValue, add(hostFlags, "-pg")},
		{[]string{"-m", "--machine"}, anyValue, func(_ *Options, v string) error {
			if v != "64" {
				return usage("-m%s: only 64-bit programs can be made", v)
			}
			return nil
		}},
		{[]string{"-O"}, glued, add(hostFlags, "-O")},
		{[]string{"--optimize"}, anyValue, add(hostFlags, "-O")},
		{[]string{"-cudart", "--cudart", "-t", "--threads", "-keep-dir", "--keep-dir",
			"-diag-suppress", "--diag-suppress", "-diag-error", "--diag-error", "-diag-warn", "--diag-warn",
			"-split-compile", "--split-compile", "-target-dir", "--target-directory", "-time", "--time", "-brief-diag", "--brief-diagnostics"}, anyValue, noEffect},
		{[]string{"-default-stream", "--default-stream"}, anyValue, transform("--default-stream", (*klap.Options).SetDefaultStream)},
		{[]string{"--granularity"}, anyValue, transform("--granularity", (*klap.Options).SetGranularity)},
		{[]string{"--flatten"}, anyValue, transform("--flatten", (*klap.Options).SetFlatten)},
		{[]string{"--grid-launch"}, anyValue, transform("--grid-launch", (*klap.Options).SetGridLaunch)},
		{[]string{"--promote"}, glued, transform("--promote", (*klap.Options).SetPromote)},
		{[]string{"--threshold"}, anyValue, transform("--threshold", (*klap.Options).SetThreshold)},
		{[]string{"--coarsen"}, anyValue, transform("--coarsen", (*klap.Options).SetCoarsen)},
		{[]string{"--pool"}, anyValue, transform("--pool", (*klap.Options).SetPool)},
		{[]string{"--parts"}, anyValue, transform("--parts", (*klap.Options).SetParts)},
		{[]string{"--residency"}, anyValue, transform("--residency", (*klap.Options).SetResidency)},
		{[]string{"--explain"}, noValue, set(func(o *Options) *bool { return &o.Explain })},
		{[]string{"-cudadevrt", "--cudadevrt"}, anyValue, func(o *Options, v string) error { o.DeviceRuntime = v; return nil }},
		{[]string{"-Werror", "--Werror"}, anyValue, func(o *Options, v string) error {
			o.Strict = o.Strict || strings.Contains(v, "all-warnings")
			return nil
		}},
		{[]string{"-expt-extended-lambda", "--expt-extended-lambda", "-extended-lambda", "--extended-lambda",
			"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", "-src-in-ptx", "--source-in-ptx", "-res-usage", "--resource-usage",
			"-allow-unsupported-compiler", "--allow-unsupported-compiler", "-Wno-deprecated-gpu-targets", "--Wno-deprecated-gpu-targets",
			"-Wno-deprecated-declarations", "-extra-device-vectorization", "--extra-device-vectorization", "-no-align-double", "-nodlink",
			"-restrict", "--restrict", "-ewp", "--extern-whole-program", "-noprof", "--dont-use-profile", "-objtemp", "--objdir-as-tempdir", "-dlto", "--dlto",
			"-disp_diag_num", "--display-error-number", "-no-compress", "--no-compress", "-compress-all"}, noValue, noEffect},
		{[]string{"-pthread", "-fopenmp", "-fPIC", "-fpic", "-fPIE", "-pipe", "-static", "-rdynamic"}, noValue, nil},
	}
})

// ParseFlags reads a command line of nvcc's kind, without the program's name.
func ParseFlags(args []string) (*Options, error) {
	o := &Options{Klap: klap.Options{AutoFlatten: true}}
	args, err := withFiles(args, maxNested)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			o.Inputs = append(o.Inputs, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			o.Inputs = append(o.Inputs, arg)
			continue
		}
		used, err := o.option(arg, args[i+1:])
		if err != nil {
			return nil, err
		}
		i += used
	}
	if o.Mode == Version || o.Mode == Architectures {
		return o, nil
	}
	if o.Mode == Runtime {
		if len(o.Inputs) > 0 {
			return nil, usage("--runtime %s: it takes no file to build", o.Folder)
		}
		return o, nil
	}
	if len(o.Inputs) == 0 {
		return nil, usage("there is nothing to build: name a .cu file")
	}
	for _, path := range o.Inputs {
		if path == "-" && o.Language == "" {
			return nil, usage("-: say what standard input has: -x cu")
		}
		if strings.ContainsAny(path, "\r\n") {
			return nil, usage("%q: a line break in a file's name is not supported", path)
		}
	}
	if o.Output == "-" && o.Mode != PTX && o.Mode != Preprocess {
		return nil, usage("-o -: what -ptx and -E make goes to standard output, and nothing else")
	}
	if o.Output != "" && (o.Mode == Object || o.Mode == PTX || o.Mode == Preprocess) && len(o.sources()) > 1 {
		return nil, usage("-o %s: one file cannot hold what is made of %d sources", o.Output, len(o.sources()))
	}
	return o, nil
}

// archive returns the path of CUDA's device runtime that programs have in them, "" for none.
func (o *Options) archive() string {
	if o.DeviceRuntime == "none" || o.DeviceRuntime == "static" {
		return ""
	}
	return o.DeviceRuntime
}

// option does what one argument says and returns how many of the following it has used.
func (o *Options) option(arg string, rest []string) (int, error) {
	if isInstructionSet(arg) {
		o.Host = append(o.Host, arg)
		return 0, nil
	}
	rows := options()
	for i := range rows {
		for _, name := range rows[i].names {
			value, used, ok := match(name, rows[i].value, arg, rest)
			if !ok {
				continue
			}
			if used > len(rest) {
				return 0, usage("%s needs a value", name)
			}
			if rows[i].do == nil { // for the host's compiler as it is
				o.Host = append(o.Host, append([]string{arg}, rest[:used]...)...)
				return used, nil
			}
			return used, rows[i].do(o, value)
		}
	}
	switch {
	case strings.HasPrefix(arg, "-f"), strings.HasPrefix(arg, "-W"), strings.HasPrefix(arg, "-g"):
		o.Host = append(o.Host, arg)
		return 0, nil
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.names...)
	}
	names = append(names, fileOptions...)
	name, _, _ := strings.Cut(arg, "=")
	return 0, usage("unknown option %s%s", arg, suggest.Hint(name, names))
}

// isInstructionSet reports whether arg is g++'s choice of the host's instructions, such as -march=native and -mavx2:
// it begins with -m, and is neither nvcc's -m64 nor -maxrregcount.
func isInstructionSet(arg string) bool {
	tail, ok := strings.CutPrefix(arg, "-m")
	return ok && tail != "" && strings.Trim(tail, "=0123456789") != "" && !strings.HasPrefix(tail, "axrregcount")
}

// match reports whether arg is the option called name; its value, and how many
// arguments behind arg that takes.
func match(name string, kind valueKind, arg string, rest []string) (value string, used int, ok bool) {
	if arg == name {
		switch {
		case kind != anyValue:
			return "", 0, true
		case len(rest) == 0:
			return "", 1, true
		}
		return rest[0], 1, true
	}
	tail, ok := strings.CutPrefix(arg, name)
	if !ok || kind == noValue {
		return "", 0, false
	}
	if v, ok := strings.CutPrefix(tail, "="); ok {
		return v, 0, true
	}
	// Only options of one letter have values glued to them, and not all of these have.
	switch name {
	case "-t":
		return tail, 0, strings.Trim(tail, "0123456789") == ""
	case "-x", "-o":
		return "", 0, false
	}
	return tail, 0, len(name) == 2
}

// isSource reports whether a file is compiled and not handed to the linker.
func (o *Options) isSource(path string) bool {
	switch filepath.Ext(path) {
	case ".cu", ".cc", ".cpp", ".cxx", ".c", ".C":
		return true
	}
	return o.Language != "" && !isBinary(path)
}

func isBinary(path string) bool {
	switch filepath.Ext(path) {
	case ".o", ".a", ".so", ".obj", ".lib":
		return true
	}
	return strings.Contains(filepath.Base(path), ".so.")
}

// isCUDA reports whether a source may have device code.
func (o *Options) isCUDA(path string) bool {
	return filepath.Ext(path) == ".cu" || o.Language == "cu" && o.isSource(path)
}

// NotesFor returns the notes, if there is a source that they are about.
func (o *Options) NotesFor() []string {
	if len(o.sources()) == 0 {
		return nil
	}
	return o.Notes
}

func (o *Options) sources() []string {
	var out []string
	for _, path := range o.Inputs {
		if o.isSource(path) {
			out = append(out, path)
		}
	}
	return out
}
