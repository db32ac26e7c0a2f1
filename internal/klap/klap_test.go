package klap

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// transformed transforms a text with options such as "block per-thread", and returns the
// program without the library, and the report.
func transformed(t *testing.T, text []byte, options string) (*syntax.File, *Report) {
	t.Helper()
	var o Options
	for word := range strings.FieldsSeq(options) {
		if n, ok := strings.CutPrefix(word, "threshold="); ok {
			if err := o.SetThreshold(n); err != nil {
				t.Fatal(err)
			}
		} else if n, ok := strings.CutPrefix(word, "coarsen="); ok {
			if err := o.SetCoarsen(n); err != nil {
				t.Fatal(err)
			}
		} else if value, ok := strings.CutPrefix(word, "flatten="); ok {
			if err := o.SetFlatten(value); err != nil {
				t.Fatal(err)
			}
		} else if value, ok := strings.CutPrefix(word, "grid-launch="); ok {
			if err := o.SetGridLaunch(value); err != nil {
				t.Fatal(err)
			}
		} else if word == "per-thread" {
			o.PerThread = true
		} else if name, ok := strings.CutPrefix(word, "parts="); ok {
			o.Parts = name
		} else if name, ok := strings.CutPrefix(word, "residency="); ok {
			o.Residency = name
		} else if form, ok := strings.CutPrefix(word, "promote="); ok {
			if err := o.SetPromote(form); err != nil {
				t.Fatal(err)
			}
		} else if err := o.SetGranularity(word); err != nil {
			t.Fatal(err)
		}
	}
	diags := &source.List{}
	f := syntax.Parse(source.NewFile("in.cu", text), syntax.CUDA, diags)
	info := check.Check(f, diags)
	if diags.Errors() > 0 {
		t.Fatal(diags.Err())
	}
	before := syntax.String(f)
	out, report, err := Transform(info, o, tree.Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	if syntax.String(f) != before {
		t.Error("the program itself has changed")
	}
	printed := syntax.String(out.File)
	again := syntax.Parse(source.NewFile("out.cu", []byte(printed)), syntax.CUDA, diags)
	if diags.Errors() > 0 || syntax.String(again) != printed {
		t.Errorf("the program does not parse back as it is: %v", diags.Err())
	}
	in := map[string]bool{}
	for _, d := range tree.Declarations(libraryText(1)) {
		in[declared(d)] = true
	}
	file := *out.File
	file.Decls = nil
	for _, d := range out.File.Decls {
		if _, function := d.(*syntax.FuncDecl); !in[declared(d)] || function && declared(d) == "__klap_flush" {
			file.Decls = append(file.Decls, d)
		}
	}
	return &file, report
}

// TestTransform compares the transformed programs of the archives, without the library.
func TestTransform(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		f, report := transformed(t, golden.Find(a, "in.cu").Data, string(golden.Find(a, "options").Data))
		var b strings.Builder
		if err := report.Write(&b); err != nil {
			t.Fatal(err)
		}
		golden.Section(t, a, "out.cu", syntax.String(f))
		golden.Section(t, a, "report", b.String())
	})
}

// TestReasons has the launches in lines marked // STAYS "part" stay, for that reason, and all others be aggregated. Where lines are marked // WHOLE "part", these
// are not flattened, for that reason, and all others are.
// Each reason that the sources have is one of a marked launch.
func TestReasons(t *testing.T) {
	want := reasonTexts(t)
	delete(want, reasonConfiguration) // package check has refused such a launch
	delete(want, reasonFlatCalls)     // of C++ alone: package emit has a program
	golden.Each(t, "testdata/reasons/*.txtar", func(t *testing.T, a *txtar.Archive) {
		text := golden.Find(a, "in.cu").Data
		_, report := transformed(t, text, string(golden.Find(a, "options").Data))
		got, whole := map[int]string{}, map[int]string{}
		for _, s := range report.Sites {
			whole[s.Pos.Line()] += s.Whole
			got[s.Pos.Line()] += s.Reason
			for _, text := range s.Before {
				if _, reason, stays := strings.Cut(text, ": "); stays {
					got[s.Pos.Line()] += reason
				}
			}
		}
		for i, line := range strings.Split(string(text), "\n") {
			_, part, marked := strings.Cut(line, `// STAYS "`)
			part = strings.TrimSuffix(part, `"`)
			if reason := got[i+1]; marked != (reason != "") || !strings.Contains(reason, part) {
				t.Errorf("line %d: the reason is %q, want %q", i+1, reason, part)
			}
		}
		if strings.Contains(string(text), "// WHOLE") {
			for i, line := range strings.Split(string(text), "\n") {
				_, part, marked := strings.Cut(line, `// WHOLE "`)
				if reason := whole[i+1]; marked != (reason != "") || !strings.Contains(reason, strings.TrimSuffix(part, `"`)) {
					t.Errorf("line %d: it is not flattened: %q, want %q", i+1, reason, part)
				}
			}
			maps.Insert(got, maps.All(whole))
		}
		maps.DeleteFunc(want, func(text, _ string) bool {
			return slices.ContainsFunc(slices.Collect(maps.Values(got)), func(reason string) bool { return strings.Contains(reason, text) })
		})
	})
	for _, text := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("no launch in testdata/reasons stays for this reason (%s): %s", want[text], text)
	}
}

// TestOptions reads what the command line may say, and refuses the rest.
func TestOptions(t *testing.T) {
	for text, want := range map[string]string{
		"warp": "warp 0", "multiblock": "multiblock 0", "multiblock:4": "multiblock 4", "grid": "grid 0", "none": "none 0",
		"auto": "none 0", "": "refused", "blocks": "refused", "block:2": "refused", "multiblock:0": "refused", "multiblock:x": "refused",
	} {
		var o Options
		got := "refused"
		if err := o.SetGranularity(text); err == nil {
			got = fmt.Sprint(o.Granularity, o.Blocks)
		}
		if got != want {
			t.Errorf("SetGranularity(%q) gives %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]int64{"256": 256, "512K": 512 << 10, "4G": 4 << 30, "255": 0, "": 0, "K": 0, "1KK": 0, "5G": 0, "-1M": 0, "1.5M": 0, "9999999999999999999": 0} {
		var o Options
		if err := o.SetPool(text); (err == nil) != (want > 0) || o.Pool != want {
			t.Errorf("SetPool(%q) gives %d, %v; want %d", text, o.Pool, err, want)
		}
	}
	for text, want := range map[string]bool{"per-thread": true, "legacy": false, "null": false} {
		o := Options{PerThread: !want}
		if err := o.SetDefaultStream(text); err != nil || o.PerThread != want {
			t.Errorf("SetDefaultStream(%q): %v", text, err)
		}
	}
	if err := new(Options).SetDefaultStream("other"); err == nil {
		t.Error("SetDefaultStream takes any word")
	}
}

// TestInstrumentVariables refuses names that are no variable of the program, or one of another size.
func TestInstrumentVariables(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Parts: "none"}, "--parts=none: the program has no variable __device__ int none at file scope"},
		{Options{Parts: "wide"}, "--parts=wide: the program has no variable __device__ int wide at file scope"},
		{Options{Residency: "off"}, "--residency=off: the program has no variable __device__ unsigned long long off at file scope"},
		{Options{Residency: "k"}, "--residency=k: the program has no variable __device__ unsigned long long k at file scope"},
		{Options{Parts: "pair", Granularity: Block}, "--parts=pair: the program has no variable __device__ int pair at file scope"},
		{Options{Parts: "off", Residency: "wide"}, ""},
	} {
		var diags source.List
		text := "__device__ int off;\n__device__ unsigned long long wide;\n__device__ int pair[1];\n__constant__ int fixed;\n__global__ void k(int *p) { *p = 1; }\n"
		info := check.Check(syntax.Parse(source.NewFile("in.cu", []byte(text)), syntax.CUDA, &diags), &diags)
		_, _, err := Transform(info, c.o, tree.Options{Verify: true})
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
		if v, ok := errors.AsType[*VariableError](err); err != nil && (!ok || v.Hint() != v.Flag+" can name "+map[string]string{"int": "off", "unsigned long long": "wide"}[v.Type]) {
			t.Errorf("%+v: the hint of %v is not what there is", c.o, err)
		}
	}
	for _, text := range []string{"", "a b", "1a", "a.b"} {
		if err := new(Options).SetParts(text); err == nil {
			t.Errorf("SetParts takes %q", text)
		}
	}
}

// TestThresholdingOnce: what threads can do themselves is worked out once for a program, however many launches the cost model
// asks for.
func TestThresholdingOnce(t *testing.T) {
	var diags source.List
	text := "__global__ void k(int *p) { *p = 1; }\n__global__ void parent(int *p) { k<<<2, 2>>>(p); k<<<3, 2>>>(p); }\n"
	info := check.Check(syntax.Parse(source.NewFile("in.cu", []byte(text)), syntax.CUDA, &diags), &diags)
	p := &Program{o: Options{Threshold: Auto, Coarsen: Auto, Granularity: Block, PerThread: true}, info: info}
	first := p.thresholding()
	for _, s := range p.sites() {
		if !p.fewLeft(s.child) {
			t.Errorf("launch at %v is left", s.launch.Pos())
		}
	}
	if p.thresholding() != first {
		t.Error("it is worked out again")
	}
	p.o.PerThread = false
	if p.thresholding() == first {
		t.Error("with other options it is the same")
	}
	p.o.PerThread = true
	if err := p.set(tree.Clone(info.File)); err != nil {
		t.Fatal(err)
	}
	if p.thresholding() == first {
		t.Error("of another program it is the same")
	}
}
