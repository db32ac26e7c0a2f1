package interp

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/run"
	"irgl/internal/source"
)

var tokenPattern = regexp.MustCompile(`"(?:[^"\\\\\n]|\\\\.)*"|'[^']*'|//[^\n]*|[A-Za-z_]\w*|[0-9][\w.]*|[-+<>=!&|*/%^]+|\s+|.`)

// mutate replaces tokens of text: each three bytes of edits name one and what
// comes in its place. Programs stay valid far more often than when their bytes
// change.
func mutate(text string, edits []byte) string {
	tokens := tokenPattern.FindAllString(text, -1)
	pool := append(tokens[:len(tokens):len(tokens)], "0", "-1", "1", "2147483647", "1e30", "0.5f", "+", "/", "%", ">>", "<<", "-", "int", "unsigned",
		"long", "float", "double", "char", "bool", "node", "edge", "*", "&", "a", "n", "continue;", "break;", "return;", "while", "if", "")
	for ; len(edits) >= 3 && len(tokens) > 0; edits = edits[3:] {
		at := (int(edits[0]) + 251*int(edits[2]&7)) % len(tokens)
		tokens[at] = pool[(int(edits[1])+257*int(edits[2]>>3))%len(pool)]
	}
	return strings.Join(tokens, "")
}

// seedPrograms returns the programs of the archives, small and many, and the
// bundled ones.
func seedPrograms(t testing.TB) (texts []string) {
	for _, f := range golden.Seeds(t, []string{".irgl"}, "testdata/*.txtar", "../check/testdata/*.txtar") {
		texts = append(texts, string(f.Data))
	}
	programs, err := filepath.Glob("../programs/*.irgl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}

// FuzzRun runs mutated programs: whatever they do, the run ends with a result,
// a diagnostic or the context's error, soon after the context ends, and the
// same program gives the same output twice.
func FuzzRun(f *testing.F) {
	for _, text := range seedPrograms(f) {
		f.Add(text, []byte{}, uint64(0))
		f.Add(text, []byte{7, 9, 0, 40, 2, 1}, uint64(1))
	}
	g := smallGraph(f)
	f.Fuzz(func(t *testing.T, text string, edits []byte, seed uint64) {
		runMutant(t, g, mutate(text, edits), seed)
	})
}

// TestMutants runs mutated programs, the same every time.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g := smallGraph(t)
	count := 20
	if testing.Short() {
		count = 8
	}
	if n, err := strconv.Atoi(os.Getenv("IRGL_MUTANTS")); err == nil {
		count = n
	}
	for _, text := range seedPrograms(t) {
		for range count {
			edits := make([]byte, 3*(1+r.IntN(4)))
			for i := range edits {
				edits[i] = byte(r.Uint32())
			}
			if runMutant(t, g, mutate(text, edits), uint64(r.IntN(3))); t.Failed() {
				t.Fatalf("the program was:\n%s", mutate(text, edits))
			}
		}
	}
}

// runMutant runs one program that may be wrong in any way.
func runMutant(t *testing.T, g *graph.Graph, text string, seed uint64) {
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
	in := run.Input{Graph: g, Args: defaults(info), Mesh: smallMesh()}
	once := func() (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		var out bytes.Buffer
		start := time.Now()
		in.Stdout = limited{&out}
		_, err := e.Run(ctx, in)
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
		c := InitialValues(info, p, g)
		if b, ok := p.Object.Type.(check.Basic); (ok && !p.Of.OfMesh()) != (c != nil) || c != nil && c.Type != b {
			t.Errorf("the initial values of %s are %v", p.Object.Name, c)
		}
	}
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
