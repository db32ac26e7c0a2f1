package gogen

import (
	"bytes"
	"context"
	"os"
	"testing"

	"irgl/internal/interp"
	"irgl/internal/run"
)

func TestZZ(t *testing.T) {
	needGo(t)
	text, _ := os.ReadFile("testdata/semantics.irgl")
	info, err := load(Text{"semantics", text})
	if err != nil {
		t.Fatal(err)
	}
	_ = interp.New
	e, err := interp.New(info, interp.Options{})
	if err != nil { t.Fatal(err) }
	var out bytes.Buffer
	res, err := e.Run(context.Background(), run.Input{Graph: generated(t, "path:5"), Stdout: &out, Args: []run.Value{run.IntValue(1), run.IntValue(3), run.IntValue(1), run.FloatValue(2.5)}})
	if err != nil {
		t.Fatal(err)
	}
	want, _ := os.ReadFile("testdata/semantics.txt")
	if out.String() != string(want) {
		t.Errorf("interp: %s", out.String())
	}
	t.Log(res.Stats)
}
