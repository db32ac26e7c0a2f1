//go:build linux

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	isource "irgl/internal/source"
	"irgl/syntax"
)

// TestPromotion builds the benchmarks of promotion in each form and runs them on the emulator, with several schedules
// and with one multiprocessor, which has room for four blocks.
func TestPromotion(t *testing.T) {
	compiler(t)
	for _, b := range All() {
		if b.Kind != Promotion || testing.Short() && b.Name != "unq" {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			for _, form := range []string{"", "=aggregate:2", "=aggregate:128", "=overlap", "=aggregate:4,overlap"} {
				if testing.Short() && !strings.HasSuffix(form, "4,overlap") {
					continue
				}
				path, err := b.Write(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				program := build(t, path, "--promote"+form)
				for _, options := range []string{"seed=1", "seed=2,multiprocessors=1"} {
					r := run(t, program, options, b.Arguments(Test, "")...)
					if got, err := ParseOutput(r.stdout); err != nil || got.Check != "ok" || r.status != 0 || r.stderr != "" {
						t.Errorf("--promote%s, %s: status %d, %v\n%s%s", form, options, r.status, err, r.stdout, r.stderr)
					}
				}
			}
		})
	}
}

// TestPromotionTools: ptxas takes the PTX of each form, and nvcc the text of two, without a warning but those about functions that are
// unused. The environment variables PTXAS and NVCC name them.
func TestPromotionTools(t *testing.T) {
	ptxas, nvcc := os.Getenv("PTXAS"), os.Getenv("NVCC")
	if ptxas == "" && nvcc == "" {
		t.Skip("the environment variables PTXAS and NVCC name no tools")
	}
	dir := t.TempDir()
	if err := WriteAll(dir); err != nil {
		t.Fatal(err)
	}
	check := func(text, name string, tool ...string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), tool[0], append(tool[1:], path, "-o", path+".o")...).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	for _, b := range All() {
		if b.Kind != Promotion {
			continue
		}
		for i, form := range []string{"basic", "aggregate:2", "aggregate:128", "overlap", "aggregate:4,overlap"} {
			o := compile.Options{CXX: &cxx.Options{}, Defines: map[string]string{"STREAM": fmt.Sprint(2 + i%2)}}
			if err := o.Klap.SetPromote(form); err != nil {
				t.Fatal(err)
			}
			u, err := compile.Compile(isource.NewFile(filepath.Join(dir, b.Name+".cu"), []byte(b.Source())), syntax.CUDA, "", o)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := u.Emit(&text, "cu"); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s%d", b.Name, i)
			if ptxas != "" {
				check(u.PTXText(), name+".ptx", ptxas, "-c", "-arch=sm_90")
			}
			if nvcc != "" && i%4 == 0 {
				check(text.String(), name+".cu", nvcc, "-arch=sm_90", "-rdc=true", "-dc", "-diag-suppress", "177")
			}
		}
	}
}

// TestPromotionLost: a benchmark whose promise about klap_overlap is broken is found to be wrong, or to have a race.
func TestPromotionLost(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	compiler(t)
	b := Find("los")
	path, err := b.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// The loads of a tile depend on what the tile in front stores.
	const old = "float slope = los_slope(height, i, n);"
	text := strings.ReplaceAll(b.Source(), old, old+" if (tile > 0 && visible[tile * POINTS - 1] > 1) slope = 0;")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	program := build(t, path, "--promote=aggregate:4,overlap")
	r := run(t, program, "seed=2", b.Arguments(Test, "")...)
	if !strings.Contains(r.stderr, "race") {
		t.Errorf("no race is reported\n%s%s", r.stdout, r.stderr)
	}
}
