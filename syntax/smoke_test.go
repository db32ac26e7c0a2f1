package syntax

import (
	"bytes"
	"irgl/internal/source"
	"os"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	for _, name := range strings.Fields(os.Getenv("SMOKE")) {
		b, _ := os.ReadFile(name)
		d := CUDA
		if strings.HasSuffix(name, "irgl") {
			d = IrGL
		}
		var l source.List
		f := Parse(source.NewFile(name, b), d, &l)
		var out bytes.Buffer
		l.Render(&out)
		t.Log(out.String())
		s := String(f)
		t.Log("\n" + s)
		var l2 source.List
		f2 := Parse(source.NewFile(name, []byte(s)), d, &l2)
		out.Reset()
		l2.Render(&out)
		t.Log(out.String())
		if String(f2) != s {
			t.Log("NOT FIXED\n" + String(f2))
		}
		if !Equal(f, f2) {
			t.Log("NOT EQUAL")
		}
	}
}
