package interp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
)

// FuzzRun runs mutated programs: whatever they do, the run ends with a result,
// a diagnostic or the context's error, soon after the context ends, and the
// same program gives the same output twice.
func FuzzRun(f *testing.F) {
	for _, pattern := range []string{"testdata/*.txtar", "../check/testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range ar.Files {
				if strings.HasSuffix(file.Name, ".irgl") {
					f.Add(string(file.Data), uint64(0))
				}
			}
		}
	}
	programs, err := filepath.Glob("../programs/*.irgl")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), uint64(1))
	}
	g := smallGraph(f)
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		info, err := load("fuzz.irgl", text)
		if err != nil || info.Entry == nil {
			return
		}
		e, err := New(info, Options{Seed: seed, Memory: 16 << 20})
		if err != nil {
			if source.Diagnostics(err) == nil {
				t.Fatalf("New: %v", err)
			}
			return
		}
		once := func() (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			var out bytes.Buffer
			start := time.Now()
			_, err := e.Run(ctx, run.Input{Graph: g, Args: defaults(info), Stdout: limited{&out}})
			if d := time.Since(start); d > 5*time.Second {
				t.Errorf("the run took %v", d)
			}
			return out.String(), err
		}
		first, err := once()
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil && source.Diagnostics(err) == nil && !strings.Contains(err.Error(), "argument") && !errors.Is(err, errFull) {
			t.Fatalf("Run: %v", err)
		}
		if second, err2 := once(); !errors.Is(err2, context.DeadlineExceeded) && (first != second || (err == nil) != (err2 == nil)) {
			t.Errorf("two runs differ: %q %v and %q %v", first, err, second, err2)
		}
		for _, p := range info.Props {
			if c := InitialValues(info, p, g); c.Type != p.Object.Type.(check.Basic) {
				t.Errorf("the initial values of %s are %s", c.Name, c.Type)
			}
		}
	})
}

// A limited buffer takes a megabyte.
type limited struct{ *bytes.Buffer }

var errFull = errors.New("enough has been written")

func (l limited) Write(p []byte) (int, error) {
	if l.Len() > 1<<20 {
		return 0, errFull
	}
	return l.Buffer.Write(p)
}
