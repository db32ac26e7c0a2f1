package cudabuild

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/cxx/headers"
)

// TestParseFlags reads command lines as public Makefiles write them.
func TestParseFlags(t *testing.T) {
	for _, c := range []struct {
		line string
		want func(o *Options) bool
	}{
		{"a.cu -o a", func(o *Options) bool {
			return o.Output == "a" && o.Mode == Program && slices.Equal(o.Inputs, []string{"a.cu"})
		}},
		{"-c -O3 -arch=sm_86 a.cu", func(o *Options) bool {
			return o.Mode == Object && o.Target == "sm_86" && slices.Contains(o.Host, "-O3")
		}},
		{"-arch sm_90a a.cu", func(o *Options) bool { return o.Target == "sm_90a" }},
		{"-arch=sm_60 a.cu", func(o *Options) bool { return o.Target == "sm_75" && len(o.Notes) == 1 }},
		{"-arch=native a.cu", func(o *Options) bool { return o.Target == "" }},
		{"-gencode arch=compute_90,code=sm_90 -gencode=arch=compute_80,code=compute_80 a.cu", func(o *Options) bool { return o.Target == "sm_80" }},
		{"-I. -I ../inc --include-path=x -isystem /s a.cu", func(o *Options) bool {
			return slices.Equal(o.Includes, []string{".", "../inc", "x"}) && slices.Equal(o.SystemIncludes, []string{"/s"})
		}},
		{"-DN=4 -D M -UK --define-macro=A=b=c a.cu", func(o *Options) bool {
			return slices.Equal(o.Defines, []cpp.Define{{Name: "N", Value: "4"}, {Name: "M", Value: "1"}, {Name: "K", Undef: true}, {Name: "A", Value: "b=c"}})
		}},
		{"-Xcompiler -fopenmp,-Wall -Xcompiler=-O2 --compiler-options -g a.cu", func(o *Options) bool {
			return slices.Equal(o.Host, []string{"-fopenmp", "-Wall", "-O2", "-g"})
		}},
		{"a.cu b.o -lm -lcudart -L/usr/lib -Xlinker -rpath,/x", func(o *Options) bool {
			return slices.Equal(o.Link, []string{"-lm", "-L/usr/lib", "-Wl,-rpath,/x"}) && slices.Equal(o.sources(), []string{"a.cu"})
		}},
		{"-dc a.cu", func(o *Options) bool { return o.Mode == Object && o.Relocate }},
		{"-rdc=true a.cu", func(o *Options) bool { return o.Relocate && o.Mode == Program }},
		{"-std=c++14 -lineinfo --use_fast_math -m64 -w a.cu", func(o *Options) bool {
			return o.Std == "c++14" && o.Math == FastMath() && len(o.Notes) == 1
		}},
		{"-march=native -mtune=generic -mavx2 -m64 -t4 --optimize 3 --restrict --extra-device-vectorization -std=c++2b a.cu", func(o *Options) bool {
			return slices.Equal(o.Host, []string{"-march=native", "-mtune=generic", "-mavx2", "-O3"}) && slices.Equal(o.Inputs, []string{"a.cu"})
		}},
		{"-x cu a.cpp", func(o *Options) bool { return o.isCUDA("a.cpp") }},
		{"-maxrregcount=32 -Xptxas -v --ptxas-options=-O3 --expt-extended-lambda -cudart shared a.cu", func(o *Options) bool {
			return o.Registers == 32 && slices.Equal(o.Inputs, []string{"a.cu"})
		}},
		{"--textures=hardware a.cu", func(o *Options) bool { return o.Textures == headers.HardwareTextures }},
		{"--textures software a.cu", func(o *Options) bool { return o.Textures == headers.SoftwareTextures }},
		{"-MD -MF a.d -MT a.o -fno-strict-aliasing -ffast-math -Wextra a.cu", func(o *Options) bool {
			return slices.Equal(o.Host, []string{"-fno-strict-aliasing", "-ffast-math", "-Wextra"}) && slices.Equal(o.Depend, []string{"-MD", "-MF", "a.d", "-MT", "a.o"})
		}},
		{"-O a.cu", func(o *Options) bool {
			return slices.Equal(o.Inputs, []string{"a.cu"}) && slices.Equal(o.Host, []string{"-O"})
		}},
	} {
		o, err := ParseFlags(strings.Fields(c.line))
		if err != nil || !c.want(o) {
			t.Errorf("%s: %+v, %v", c.line, o, err)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for line, want := range map[string]string{
		"":                      "nothing to build",
		"-o":                    "-o needs a value",
		"a.cu -nonsense":        "unknown option -nonsense",
		"--lineinfo a.cu":       "-lineinfo",
		"-arch=volta a.cu":      "no architecture volta",
		"-arch=sm_9999 a.cu":    "no architecture sm_9999",
		"-gencode code=x a.cu":  "arch=compute_NN",
		"-optix-ir a.cu":        "unknown option -optix-ir",
		"-ofile a.cu":           "unknown option -ofile",
		"-clean a.cu":           "unknown option -clean",
		"-arhc=sm_80 a.cu":      `did you mean "-arch"?`,
		"--runtime . a.cu":      "takes no file",
		"-m32 a.cu":             "only 64-bit",
		"-std=c++99 a.cu":       "are known",
		"-maxrregcount=x a.cu":  "number of registers",
		"--textures=no a.cu":    "software or hardware is expected",
		"-D =3 a.cu":            "a name is expected",
		"-c a.cu b.cu -o a.out": "one file cannot hold",
	} {
		_, err := ParseFlags(strings.Fields(line))
		if u := (*UsageError)(nil); !errors.As(err, &u) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// TestWords has lines of files of options, with what nvcc makes of them.
func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		` -DA=1  -DB="a b"`:      {"-DA=1", "-DB=a b"},
		`-DA="\"rsp\"" -DE=a\ b`: {"-DA=rsp", "-DE=a b"},
		`-DB="x \"y z\" w"`:      {"-DB=x y z w"},
		`-DB="a\\b"`:             {"-DB=ab"},
		`-DB=\\\"x\\\"`:          {`-DB="x"`},
		"-c\n\ta.cu":             {"-c", "a.cu"},
		"":                       nil,
	} {
		if got := words(line); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestCommandLine has the variables of the environment in their places.
func TestCommandLine(t *testing.T) {
	t.Setenv("NVCC_PREPEND_FLAGS", " -O2 ")
	t.Setenv("NVCC_APPEND_FLAGS", `-g -DN="a b"`)
	if got, want := CommandLine([]string{"-c", "--", "-a.cu"}), []string{"-O2", "-c", "-g", `-DN="a b"`, "--", "-a.cu"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOutputIsInput: an output that is an input under another name is an error, and the input is kept.
func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "a.cu")
	if err := os.WriteFile(source, []byte("int main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(source, link); err != nil {
		t.Fatal(err)
	}
	for _, output := range []string{source, link, filepath.Join(dir, "..", filepath.Base(dir), "a.cu")} {
		o := Options{Inputs: []string{source}, Output: output}
		if err := o.checkOutput(); err == nil || !strings.Contains(err.Error(), "is the input file") {
			t.Errorf("-o %s: %v", output, err)
		}
	}
	o := Options{Inputs: []string{source}, Output: filepath.Join(dir, "a.out")}
	if err := o.checkOutput(); err != nil {
		t.Error(err)
	}
}
