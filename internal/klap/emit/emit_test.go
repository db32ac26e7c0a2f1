package emit_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/golden"
	"irgl/internal/klap/emit"
	"irgl/internal/source"
)

// options reads the flags of a test.
func options(t *testing.T, text string) compile.Options {
	t.Helper()
	o := compile.Options{CXX: &cxx.Options{}, Defines: map[string]string{}}
	for word := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(word, "=")
		set := map[string]func(string) error{
			"--granularity": o.Klap.SetGranularity, "--threshold": o.Klap.SetThreshold, "--coarsen": o.Klap.SetCoarsen,
			"--promote": o.Klap.SetPromote, "--parts": o.Klap.SetParts, "--residency": o.Klap.SetResidency, "--default-stream": o.Klap.SetDefaultStream,
			"--flatten": o.Klap.SetFlatten, "--grid-launch": o.Klap.SetGridLaunch, "--pool": o.Klap.SetPool,
			"-DSTREAM": func(v string) error { o.Defines["STREAM"] = v; return nil },
		}[name]
		if set == nil {
			t.Fatalf("there is no option %s", word)
		}
		if err := set(value); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// written returns the text of the transformed program of a file.
func written(t *testing.T, path, flags, folder string) *emit.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := emit.Text(source.NewFile(path, text), options(t, flags), folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unpacked writes the files of an archive, and returns the path of its program.
func unpacked(t *testing.T, a *txtar.Archive) string {
	dir := t.TempDir()
	for _, f := range a.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "in.cu")
}

// TestText compares the texts of the archives. Those with a library in them are compared without it.
func TestText(t *testing.T) {
	library := regexp.MustCompile(`(?s)(// klap: what aggregated launches need[^\n]*\n).*?\n(struct __klap_args_)`)
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		path, flags := unpacked(t, a), string(golden.Find(a, "options").Data)
		first := written(t, path, flags, "").Text
		golden.Section(t, a, "out.cu", string(library.ReplaceAll(first, []byte("$1...\n\n$2"))))
		if again := written(t, path, flags, "").Text; !bytes.Equal(first, again) {
			t.Error("a second time the text is another one")
		}
		out := filepath.Join(filepath.Dir(path), "out.cu")
		if err := os.WriteFile(out, first, 0o666); err != nil {
			t.Fatal(err)
		}
		if r := written(t, out, "", ""); r.Changed || !bytes.Equal(r.Text, first) {
			t.Error("without a transformation the text does not stay as it is")
		}
	})
}

// TestFolder: a header that is found beside the source is named by its path from the folder of the output.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.h": "", "a.cu": "#include \"a.h\"\n__global__ void k() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{"": `"a.h"`, dir: `"a.h"`, out: `"../a.h"`} {
		if text := written(t, filepath.Join(dir, "a.cu"), "", folder).Text; !strings.Contains(string(text), want) {
			t.Errorf("for the folder %q the text has not %s:\n%s", folder, want, text)
		}
	}
}

// TestRefused has the errors of what cannot be written.
func TestRefused(t *testing.T) {
	golden.Each(t, "testdata/reasons/*.txtar", func(t *testing.T, a *txtar.Archive) {
		path := unpacked(t, a)
		_, err := emit.Text(source.NewFile(path, golden.Find(a, "in.cu").Data), options(t, string(golden.Find(a, "options").Data)), "")
		if err == nil {
			t.Fatal("there is no error")
		}
		if list := source.Diagnostics(err); list == nil || !strings.Contains(list.Diags[0].Hint, "irgl klap run") {
			t.Errorf("the error does not say what compiles the program: %v", err)
		}
		golden.Section(t, a, "error", strings.TrimPrefix(err.Error(), filepath.Dir(path)+string(filepath.Separator))+"\n")
	})
}
