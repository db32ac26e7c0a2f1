package sema

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"irgl/internal/cxx/hir"
)

// TestManual analyses the files that the variable MANUAL names and prints what becomes
// of them: for looking at a case by hand.
func TestManual(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("MANUAL")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		p, diags := checkText(name, text, Options{})
		fmt.Println(name, time.Since(start), len(p.Funcs), "functions")
		var b bytes.Buffer
		diags.Render(&b)
		if os.Getenv("HIR") != "" {
			b.WriteString(hir.Print(p))
		}
		fmt.Print(b.String())
	}
}
