package syntax

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// oddTexts have what is printed on other lines than those it was read from,
// or holds what looks like a comment.
var oddTexts = map[string]string{
	".irgl": `#define N 3
#define SIZE sizeof(struct { int a; struct {} b; }) + N
Graph g {
	Requires weights;
	Output Node int a = 1, b;
	Racy a "// one /* and */ \"other\"";
	Requires symmetric;
	Edge struct { int low; int high; } c, d;
}
Names X, Y;
CBlock "// text\n/* of C */" Reads (X);
Kernel K(g) {
	ForAll (n In g.nodes) { for (e In n.edges) {} if (n) l: a = 1; else ; }
	do { x = "/* // */" ; } while (x)
	do x = '"'; while (x); Atomic (x) {} Else { Respawn n }
}
Kernel L(g) {
	int m
	[[np(gr 4096, wp)]] [[batch(4), other]] ForAll (n In g.nodes) { x = m
		[[lanes]] y = 1; if (x) [[a]] { } else [[b(1)]] if (y) [[c(block, 7)]] z = 2; else [[d]] { }
		[[e]] do [[f]] x = 1; while (x)
		[[g]]
		#pragma unroll 2
		for (;;) [[h()]] ; [[i]] l: switch (x) { case 1: [[j]] break; }
	}
}
[[outline]] [[scope(block, 512)]] Host other() { [[k]] int q; [[l]] Iterate K(g) }
Host main() { Pipe Once Initial [1] { Iterate K(g) Initial [1] Size (2) { x = 1; } }
	#pragma unroll
	for (;;) if (x) {} else if (y) ; else
	#pragma unroll 2
	for (; x;) { l: }
	switch (x) { case 1: break; default: }
}`,
	".cu": `#define SET(a, b) if (a) b = "//"; else { b = 0; }
#include "part"
typedef struct { int a, *b; enum { A = 1, B, } c; } T, *U;
int f(int), *h(struct S { int a; } *); extern "C" { int v[] = {1, 2}; __device__ int w; }
extern "C" int o; struct __align__(sizeof(struct { int x; })) {} e;
#include "part"
int g(int (*x)[sizeof(struct { int a; })]) {
	#include "part"
	SET(x, y) SET(x /* a */, y); if (x) SET(x, y) else do x = 1; while (y);
	if (x) do if (x) ; while (y); else if (y) for (struct { int i; } z; ; z.i) ; else while (sizeof(struct { int i; })) l: m: x = 1;
	return "\"// /*" + '"' + '/';
	if (x)
	#include "part"
	else
	#include "part"
	l: }
`}

// TestCommentsAnywhere puts comments and line ends between arbitrary tokens
// of the test programs: whatever stands where, printing keeps the tree and
// the number of comments, and what is printed is printed again as it is. A
// fuzzer finds such places too, but seldom; here each case is one.
// IRGL_COMMENTS is the number of cases of each text and, after a comma, the
// seed of their random numbers.
func TestCommentsAnywhere(t *testing.T) {
	rounds, seed := 40, 1
	if s := os.Getenv("IRGL_COMMENTS"); s != "" {
		n, base, _ := strings.Cut(s, ",")
		rounds, _ = strconv.Atoi(n)
		seed, _ = strconv.Atoi(base)
	}
	for ext, dialect := range map[string]Dialect{".irgl": IrGL, ".cu": CUDA} {
		texts := plainTexts(t, ext)
		good := 0
		for i, text := range texts {
			rng := rand.New(rand.NewSource(int64(seed<<16 + i)))
			if !checkParse(t, text, dialect) {
				t.Fatalf("this text has errors:\n%s", text)
			}
			for range rounds {
				if checkParse(t, withComments(rng, text), dialect) {
					good++
				}
			}
		}
		// An inserted line end can be an error, also in a directive.
		if all := rounds * len(texts); good < all/2 {
			t.Errorf("only %d of %d texts in %s are without errors", good, all, ext)
		}
	}
}

// plainTexts returns the inputs of the archives that have no errors, the seeds
// of the fuzz targets, and the odd text.
func plainTexts(t *testing.T, ext string) [][]byte {
	texts := [][]byte{[]byte(oddTexts[ext])}
	for _, path := range archives(t, "*.txtar") {
		if strings.HasPrefix(filepath.Base(path), "err-") {
			continue
		}
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range ar.Files {
			if filepath.Ext(file.Name) == ext {
				texts = append(texts, file.Data)
			}
		}
	}
	if text, err := os.ReadFile("testdata/seed" + ext); err == nil {
		texts = append(texts, text)
	}
	return texts
}

// inserted are the things that withComments inserts; %d tells them apart.
var inserted = []string{
	" // c%d\n",
	" /* c%d */ ",
	"\n/* c%d\n */",
	"\n// c%d\n\n",
	"/* c%d */ // d\n",
	"/* c%d\n*//* d */",
	"// c%d \\\n d\n",           // goes on in the next line
	"/\\\n/ c%d \"\n",           // its marker is on two lines
	"/* c%d *\\\n/",             // and here the end
	"/\\\n* c%d // ' */",        //
	"// c%d /* \\ \n",           // no splice: a blank follows the backslash
	"// c%d \\\n\\\n\n/**/\n\n", // nothing after the splices
	"\\\n",
	"\n",
	"\n\n\n",
}

// withComments inserts one to four comments, line ends and splices before
// tokens of text. Some texts get the line ends of Windows.
func withComments(rng *rand.Rand, text []byte) []byte {
	toks, _ := cpp.Scan(source.NewFile("seed", text), cpp.C)
	inserts := map[int]string{}
	for i := range 1 + rng.Intn(4) {
		at := int(toks[rng.Intn(len(toks))].From())
		s := inserted[rng.Intn(len(inserted))]
		if strings.Contains(s, "%d") {
			s = fmt.Sprintf(s, i)
		}
		inserts[at] += s
	}
	var out []byte
	for i, c := range text {
		out = append(out, inserts[i]...)
		out = append(out, c)
	}
	out = append(out, inserts[len(text)]...)
	if rng.Intn(8) == 0 {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}
