package bench

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"irgl/internal/journal"
)

func TestFit(t *testing.T) {
	rep := &RegisterReport{Target: "sm_90", Rows: []RegisterRow{
		{Name: "a", Estimate: [2]int{10, 10}, Used: [2]int{10, 20}},
		{Name: "b", Estimate: [2]int{20, 20}, Used: [2]int{20, 40}, Spills: [2]int{0, 8}},
		{Name: "c", Failed: "refused: x"},
		{Name: "d", Estimate: [2]int{30, 30}, Used: [2]int{30, 30}},
	}}
	if f := rep.Fit(0); f.N != 3 || math.Abs(f.Correlation-1) > 1e-12 || f.Error != 0 || f.Relative != 0 {
		t.Errorf("%+v", f)
	}
	if f := rep.Fit(1); math.Abs(f.Correlation-0.5) > 1e-12 || f.Error != 10 || math.Abs(f.Relative-1.0/3) > 1e-12 {
		t.Errorf("%+v", f)
	}
	if f := (&RegisterReport{}).Fit(0); f != (Fit{}) {
		t.Errorf("%+v", f)
	}
	b := rep.Block(journal.Origin{Command: "c", Host: "h", Tree: "t"})
	if note := b.Get("note"); !strings.HasSuffix(note, "3 kernels. Before: correlation 1.00, mean error 0.0 registers (0 %). With all passes: correlation 0.50, mean error 10.0 registers (33 %).") {
		t.Error(note)
	}
	var csv strings.Builder
	if err := rep.WriteCSV(&csv); err != nil || !strings.Contains(csv.String(), "\nb,,20,20,20,40,8,\nc,,,,,,,refused: x\n") {
		t.Errorf("%v: %s", err, csv.String())
	}
}

// TestRegisters compares with a program that reports as ptxas -v does, and with that of
// $PTXAS, against which the estimate is calibrated.
func TestRegisters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	self, err := os.Executable() // an ELF file, as a cubin is
	if err != nil {
		t.Fatal(err)
	}
	fake := filepath.Join(t.TempDir(), "ptxas")
	script := "#!/bin/sh\necho 'ptxas info    : Used 24 registers'\nfor last; do :; done\ncp " + self + " \"$last\"\n"
	if err := os.WriteFile(fake, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	o := Options{Match: regexp.MustCompile("^(axpy4|matmul_register)$"), Tools: Tools{PTXAS: fake}}
	rep, err := Registers(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rep.Rows {
		if row.Failed != "" || row.Used != [2]int{24, 24} || row.Estimate[0] < 8 || row.Estimate[1] > 255 {
			t.Errorf("%+v", row)
		}
	}
	if x := rep.Rows[0]; len(rep.Rows) != 2 || x.Name != "matmul_register" || x.Estimate[0] >= x.Estimate[1] {
		t.Errorf("%+v", rep.Rows)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Registers(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if real := os.Getenv("PTXAS"); real != "" && !testing.Short() {
		rep, err := Registers(t.Context(), Options{Tools: Tools{PTXAS: real}})
		if err != nil {
			t.Fatal(err)
		}
		if f := rep.Fit(1); f.Correlation < 0.75 || f.Relative > 0.25 {
			t.Errorf("the estimate is off: %s", f)
		}
	}
}
