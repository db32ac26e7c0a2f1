package programs_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

func TestZZTable(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	for _, name := range []string{"bfs", "sssp"} {
		for _, spec := range []string{"grid:64:64", "rmat:10:8", "road:64:64"} {
			for _, o := range []string{
				"outline=auto batch=4 coop=warp outline-threads=256 outline-blocks=1",
				"outline=auto batch=4 coop=warp outline-threads=256 outline-blocks=1 bounds",
				"outline=auto batch=4 coop=warp outline-threads=256 outline-blocks=1 scope=block:512",
				"outline=auto batch=4 coop=warp outline-threads=256 outline-blocks=1 unroll=3",
				"outline=auto batch=4 coop=warp outline-threads=256 outline-blocks=1 bounds scope=block:512",
				"outline=auto batch=4 coop=block bounds outline-threads=256",
				"outline=auto batch=4 coop=block outline-threads=256",
			} {
				lo, err := lower.ParseOptions(o)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := programs.Text(name)
				u, err := compile.Compile(source.NewFile(name+".irgl", text), syntax.IrGL, "", compile.Options{Lower: lo})
				if err != nil {
					t.Fatal(err)
				}
				so := simt.Options{}
				dev := simt.Open(so)
				e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{})
				if err != nil {
					t.Fatal(err)
				}
				in := run.Input{Graph: prepared(t, u, spec), Args: args[name]}
				res, err := e.Run(context.Background(), in)
				if err != nil {
					t.Fatal(err)
				}
				if err := programs.Verify(context.Background(), name, in, res); err != nil {
					t.Error(err)
				}
				c := dev.Counters()
				fmt.Printf("%s\t%s\t%s\tlaunches %d barriers %d atomics %d trans %d instr %d\n", name, spec, o[37:], c.Launches, c.Barriers, c.AtomicsGlobal, c.Transactions, c.Instructions)
			}
		}
	}
}
