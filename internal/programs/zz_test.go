package programs_test
import ("testing";"fmt";"context"
"irgl/internal/compile";"irgl/internal/device/simt";"irgl/internal/host";"irgl/internal/lower";"irgl/internal/programs";"irgl/internal/run")
func TestZZ(t *testing.T) {
 for _, name := range []string{"bfs","sssp","pr","cc"} {
 for _, spec := range []string{"rmat:12:8","grid:60:60"} {
 for _, lo := range []lower.Options{{},{Batch:4},{Batch:8},{Coop:1},{Batch:4,Coop:1},{Batch:4,Coop:2},{NP:2,Coop:1},{NP:4,Coop:1},{NP:6,Coop:1},{NP:7,Coop:1},{NP:7,Coop:2},{NP:7,Coop:2,Batch:2},{NP:10,Coop:2,Batch:4},{NP:7,Coop:2,Batch:4}} {
  u := compiled(t, name, compile.Options{Lower: lo})
  so := simt.Options{}; dev := simt.Open(so)
  e, err := host.New(dev, u.Info, u.CUDAInfo, u.PTXText(), host.Options{})
  if err != nil { t.Fatal(err) }
  g := prepared(t, u, spec)
  a := args[name]
  if name == "pr" { a = []run.Value{run.FloatValue(0.85), run.FloatValue(1e-2), run.IntValue(3)} }
  if _, err := e.Run(context.Background(), run.Input{Graph: g, Args: a, Capacity: 1<<17}); err != nil { t.Fatal(err) }
  c := dev.Counters()
  fmt.Printf("%-6s %-10s batch=%d coop=%d np=%-12v instr %9d trans %8d atomics %7d/%7d barriers %6d div %7d\n", name, spec, lo.Batch, lo.Coop, lo.NP, c.Instructions, c.Transactions, c.AtomicsGlobal, c.AtomicsShared, c.Barriers, c.DivergentBranches)
  e.Close(); dev.Close()
 }}}
 _ = programs.Names
}
