package compile_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/syntax"
)

// findTool returns a program of the CUDA toolkit: what the environment variable
// names, or the one in PATH. The test is skipped without one that runs.
func findTool(t *testing.T, variable, name string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		var err error
		if path, err = exec.LookPath(name); err != nil {
			t.Skipf("$%s is not set, and there is no %s in PATH", variable, name)
		}
	}
	if out, err := exec.Command(path, "--version").CombinedOutput(); err != nil {
		t.Skipf("%s does not run: %v\n%s", path, err, out)
	}
	return path
}

// nvcc compiles a .cu text with all warnings as errors.
func nvcc(t *testing.T, tool, text string, args ...string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.cu")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, append(args, "-Werror", "all-warnings", "-arch=sm_90", path)...)
	cmd.Dir = filepath.Dir(path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("nvcc refuses the text: %v\n%s\n%s", err, out, numbered(text))
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		b.WriteString(strings.TrimRight(strings.Join([]string{itoa(i + 1), line}, "\t"), "\t") + "\n")
	}
	return b.String()
}

// cuText returns the .cu text of a program.
func cuText(t *testing.T, name string, text []byte, o compile.Options) string {
	t.Helper()
	u, err := compile.Compile(source.NewFile(name, text), syntax.IrGL, "recheck", o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := u.Emit(&b, "cu"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lowered returns the programs that test lowering, by archive and name.
func lowered(t *testing.T) map[string][]byte {
	t.Helper()
	archives, err := filepath.Glob("../lower/testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives: ", err)
	}
	texts := map[string][]byte{}
	for _, path := range archives {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if filepath.Ext(f.Name) == ".irgl" && !bytes.Contains(f.Data, []byte("// ERROR")) {
				texts[filepath.Base(path)+"/"+f.Name] = f.Data
			}
		}
	}
	return texts
}

// TestArchives compiles the archives that test lowering to PTX, with all
// checks on.
func TestArchives(t *testing.T) {
	for name, text := range lowered(t) {
		last := ""
		if bytes.Contains(text, []byte("CBlock")) || bytes.Contains(text, []byte("[[scope(cluster")) {
			last = "recheck" // the rest is for CUDA's compiler, or for devices with clusters
		}
		for _, wide := range []bool{false, true} {
			if wide && testing.Short() {
				break
			}
			o := compile.Options{Check: true, Lower: outlined}
			o.Lower.Index64 = wide
			if _, err := compiled(name, string(text), last, o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestNVCC compiles the .cu texts of the bundled programs, and of the archives
// that test lowering, to object files, and those of the programs that TestRun
// runs.
func TestNVCC(t *testing.T) {
	tool := findTool(t, "NVCC", "nvcc")
	if testing.Short() {
		t.Skip("nvcc takes a second a program")
	}
	texts, own := lowered(t), bundled(t)
	for name, text := range own {
		texts[name+".irgl"] = text
	}
	for name := range runs {
		text, err := os.ReadFile(filepath.Join("testdata", "run", name+".irgl"))
		if err != nil {
			t.Fatal(err)
		}
		texts["run_"+name+".irgl"] = text
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := compile.Options{Lower: outlined}
			o.Lower.Index64 = strings.HasSuffix(name, "64.irgl")
			args := []string{"-c", "-o", "program.o"}
			if own[strings.TrimSuffix(name, ".irgl")] == nil {
				// Tests have variables that nobody asks for: 177 and 550 are about these.
				args = append(args, "-diag-suppress", "177,550")
			}
			cu := cuText(t, name, text, o)
			if strings.Contains(cu, "(cudaStream_t)") {
				args = append(args, "-rdc=true") // kernels launch kernels
			}
			nvcc(t, tool, cu, args...)
		})
	}
}

// TestNVCCThroughput compiles the .cu texts of programs with throughput passes.
func TestNVCCThroughput(t *testing.T) {
	tool := findTool(t, "NVCC", "nvcc")
	if testing.Short() {
		t.Skip("nvcc takes a second a program")
	}
	texts := bundled(t)
	for _, coop := range []lower.CoopLevel{lower.CoopWarp, lower.CoopBlock} {
		t.Run(fmt.Sprintf("counters,coop=%d", coop), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/counters.irgl")
			if err != nil {
				t.Fatal(err)
			}
			nvcc(t, tool, cuText(t, "counters.irgl", text, compile.Options{Lower: lower.Options{Coop: coop}}), "-c", "-o", "program.o")
		})
	}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		for _, o := range []lower.Options{
			{NP: lower.ByGrid | lower.ByBlock | lower.ByWarp | lower.FineGrained, Coop: lower.CoopBlock, Batch: 4, Deal: true, Outline: lower.Outline{Auto: i%2 == 0}},
			{NP: lower.Schedulers(1 + 7*i%31), Coop: lower.CoopLevel(i / 3 % 4), Batch: 1 << (i % 4), BlockThreads: 128, Index64: true},
		} {
			t.Run(fmt.Sprintf("%s,np=%v,coop=%d,batch=%d", name, o.NP, o.Coop, o.Batch), func(t *testing.T) {
				t.Parallel()
				nvcc(t, tool, cuText(t, name+".irgl", texts[name], compile.Options{Lower: o}), "-c", "-o", "program.o")
			})
		}
	}
}
