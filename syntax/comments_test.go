package syntax

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/source"
)

// TestCommentsAnywhere puts comments and line ends between arbitrary tokens
// of the test programs: whatever stands where, printing keeps the tree and
// the number of comments, and what is printed is printed again as it is. A
// fuzzer finds such places too, but seldom; here each case is one.
func TestCommentsAnywhere(t *testing.T) {
	rounds := 60
	if s := os.Getenv("IRGL_COMMENTS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	seeds := map[string][][]byte{}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range ar.Files {
			seeds[filepath.Ext(file.Name)] = append(seeds[filepath.Ext(file.Name)], file.Data)
		}
	}
	for ext, dialect := range map[string]Dialect{".irgl": IrGL, ".cu": CUDA} {
		if len(seeds[ext]) == 0 {
			t.Fatalf("no %s texts", ext)
		}
		if text, err := os.ReadFile("testdata/seed" + ext); err == nil {
			seeds[ext] = append(seeds[ext], text)
		}
		for i, text := range seeds[ext] {
			rng := rand.New(rand.NewSource(int64(i)))
			for range rounds {
				checkParse(t, withComments(rng, text), dialect)
			}
		}
	}
}

// withComments inserts one to four comments or line ends before tokens of
// text.
func withComments(rng *rand.Rand, text []byte) []byte {
	toks, _ := scan(source.NewFile("seed", text))
	inserts := map[int]string{}
	for i := range 1 + rng.Intn(4) {
		at := int(toks[rng.Intn(len(toks))].from)
		switch rng.Intn(6) {
		case 0, 1:
			inserts[at] += fmt.Sprintf(" // c%d\n", i)
		case 2, 3:
			inserts[at] += fmt.Sprintf(" /* c%d */ ", i)
		case 4:
			inserts[at] += fmt.Sprintf("\n/* c%d\n */", i)
		default:
			inserts[at] += "\n"
		}
	}
	var out []byte
	for i := range text {
		out = append(out, inserts[i]...)
		out = append(out, text[i])
	}
	return out
}
