package irgltest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/gogen"
	"irgl/internal/run"
	"irgl/rt"
	"irgl/syntax"
)

// A Batch is many programs as generated Go in one module, built at once: a
// build takes a second, however many programs it is of.
type Batch struct {
	dir      string
	Programs []*Program
	refused  map[int]error
	jobs     []job
}

// A job is a run of one program.
type job struct {
	program int
	graph   *graph.Graph
	workers int
	want    Outcome
}

// batchMain is the main function of a batch: each line of its input is a job,
// program, graph's file, workers and arguments; job i leaves its result in i.res
// and what it printed in i.out, or an error in i.err.
const batchMain = `package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"irglprogram/programs"
	"irglprogram/rt"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		f := strings.Fields(in.Text())
		if err := job(f); err != nil {
			os.WriteFile(f[0]+".err", []byte(err.Error()), 0o666)
		}
	}
}

func job(f []string) error {
	n, _ := strconv.Atoi(f[1])
	p := programs.List[n]
	file, err := os.Open(f[2])
	if err != nil {
		return err
	}
	g, _, err := rt.ReadInput(file)
	if err != nil {
		return err
	}
	if !p.Weights {
		g.Weight = nil
	}
	var out bytes.Buffer
	x := rt.Input{Graph: g, Stdout: &out}
	x.Workers, _ = strconv.Atoi(f[3])
	for i, k := range p.Params {
		b, err := strconv.ParseUint(f[4+i], 16, 64)
		if err != nil {
			return err
		}
		x.Args = append(x.Args, rt.Value{Kind: k, Int: int64(b)})
		if k >= rt.Float32 {
			x.Args[i].Float = math.Float64frombits(b)
		}
	}
	var b bytes.Buffer
	res, err := p.Execute(context.Background(), x)
	if fault, ok := errors.AsType[*rt.Fault](err); ok {
		err = rt.WriteFault(&b, fault)
	} else if err == nil {
		err = rt.WriteResult(&b, res)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(f[0]+".out", out.Bytes(), 0o666); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return os.WriteFile(f[0]+".res", b.Bytes(), 0o666)
}
`

// NewBatch starts a batch in an empty directory.
func NewBatch(dir string) *Batch { return &Batch{dir: dir, refused: map[int]error{}} }

// Add adds a run of p on each graph, with 1 and 2 workers, and the answers
// that are wanted.
func (b *Batch) Add(p *Program, graphs []*graph.Graph, want []Outcome) {
	b.Programs = append(b.Programs, p)
	for i, g := range graphs {
		for workers := 1; workers <= 2; workers++ {
			b.jobs = append(b.jobs, job{len(b.Programs) - 1, g, workers, want[i]})
		}
	}
}

// Run builds the programs, rt being the directory of package rt's sources,
// runs them, and returns what is wrong with each that something is wrong with.
// The error is about the toolchain or the file system.
func (b *Batch) Run(ctx context.Context, rt string) (map[*Program]*Finding, error) {
	found := map[*Program]*Finding{}
	for {
		if err := b.write(rt); err != nil {
			return nil, err
		}
		// Without paths, package rt is compiled once for all batches.
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", "batch", ".")
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "PWD="+b.dir)
		said, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		// The compiler names the files that it does not take.
		dropped := false
		for _, m := range regexp.MustCompile(`programs/p(\d+)\.go:.*`).FindAllSubmatch(said, -1) {
			i, _ := strconv.Atoi(string(m[1]))
			if b.refused[i] == nil {
				b.refused[i], dropped = errors.New("go build: "+string(m[0])), true
			}
		}
		if !dropped {
			return nil, fmt.Errorf("go build: %w\n%s", err, said)
		}
	}
	for i, err := range b.refused {
		found[b.Programs[i]] = &Finding{"gogen", "refused", "-", err.Error()}
	}
	return found, b.runJobs(ctx, found)
}

// write writes the module, without the programs that were refused.
func (b *Batch) write(rtDir string) error {
	files := map[string][]byte{"go.mod": []byte("module irglprogram\n\ngo 1.25\n"), "main.go": []byte(batchMain)}
	names, err := filepath.Glob(filepath.Join(rtDir, "*.go"))
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") {
			continue
		}
		text, err := os.ReadFile(n)
		if err != nil {
			return err
		}
		files["rt/"+filepath.Base(n)] = text
	}
	var list bytes.Buffer
	list.WriteString("package programs\n\nimport \"irglprogram/rt\"\n\nvar List = []*rt.Program{\n")
	if err := os.RemoveAll(filepath.Join(b.dir, "programs")); err != nil {
		return err
	}
	for i, p := range b.Programs {
		name := fmt.Sprintf("p%d", i)
		if b.refused[i] == nil {
			var code []byte
			code, b.refused[i] = gogen.Generate(p.Info, gogen.Options{Package: "programs", Program: name, RT: "irglprogram/rt"})
			files["programs/"+name+".go"] = code
		}
		if b.refused[i] != nil {
			delete(files, "programs/"+name+".go")
			list.WriteString("nil,\n")
			continue
		}
		delete(b.refused, i)
		fmt.Fprintf(&list, "%s,\n", gogen.Options{Program: name}.VarName())
	}
	list.WriteString("}\n")
	files["programs/list.go"] = list.Bytes()
	for name, text := range files {
		path := filepath.Join(b.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// runJobs runs all jobs in one process, and in another one those after a job
// that ends the process.
func (b *Batch) runJobs(ctx context.Context, found map[*Program]*Finding) error {
	lines := make([]string, len(b.jobs))
	files := map[string]string{}
	for i, j := range b.jobs {
		p := b.Programs[j.program]
		in, err := p.Input(ctx, j.graph)
		if err != nil {
			return err
		}
		key := fmt.Sprint(j.graph.Info.Name, p.Info.Requires)
		if files[key] == "" {
			files[key] = filepath.Join(b.dir, fmt.Sprintf("graph%d", len(files)))
			if err := writeGraph(files[key], in.Graph, p.Info.Requires); err != nil {
				return err
			}
		}
		lines[i] = fmt.Sprintf("%d %d %s %d", i, j.program, files[key], j.workers)
		for k, a := range in.Args {
			lines[i] += " " + rt.ArgBits(argument(p.Info.Entry.Type.Params[k], a))
		}
	}
	for next := 0; next < len(b.jobs); {
		var text strings.Builder
		for i := next; i < len(b.jobs); i++ {
			if b.refused[b.jobs[i].program] == nil {
				fmt.Fprintln(&text, lines[i])
			}
		}
		runCtx, cancel := context.WithTimeout(ctx, 6*limit)
		cmd := exec.CommandContext(runCtx, filepath.Join(b.dir, "batch"))
		cmd.Dir, cmd.Stdin = b.dir, strings.NewReader(text.String())
		said, ended := cmd.CombinedOutput()
		cancel()
		for ; next < len(b.jobs); next++ {
			j := b.jobs[next]
			p := b.Programs[j.program]
			if b.refused[j.program] != nil {
				continue
			}
			got, done := b.outcome(next)
			if !done {
				got.Err = fmt.Errorf("crash: %w\n%s", ended, said[:min(len(said), 1500)])
			}
			engine := fmt.Sprintf("gogen-%d", j.workers)
			if f := compareOutcomes(engine, j.graph, j.want, got); f != nil && found[p] == nil {
				found[p] = f
			}
			if !done {
				next++
				break
			}
		}
	}
	return nil
}

// outcome reads what job i left; done is false when it left nothing.
func (b *Batch) outcome(i int) (o Outcome, done bool) {
	name := filepath.Join(b.dir, strconv.Itoa(i))
	if said, err := os.ReadFile(name + ".err"); err == nil {
		return Outcome{Err: errors.New(string(said))}, true
	}
	data, err := os.ReadFile(name + ".res")
	if err != nil {
		return Outcome{}, false
	}
	printed, err := os.ReadFile(name + ".out")
	if err != nil {
		return Outcome{Err: err}, true
	}
	res, err := rt.ReadResult(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Outcome{Err: gogen.Located(err, b.Programs[b.jobs[i].program].Info.File.From.File)}, true
	}
	out := &run.Result{Stats: run.Stats{Iterations: res.Iterations, Launches: res.Launches}}
	for _, c := range res.Props {
		out.Props = append(out.Props, &run.Column{Name: c.Name, Of: syntax.Domain(c.Of), Type: typeOf(c.Type), Data: c.Data})
	}
	for _, g := range res.Globals {
		c := run.Column{Type: typeOf(g.Type), Data: g.Data}
		values := make([]run.Value, c.Len())
		for k := range values {
			values[k] = c.Value(k)
		}
		out.Globals = append(out.Globals, run.Global{Name: g.Name, Values: values})
	}
	return outcome(out, string(printed), nil), true
}

// typeOf returns the type with a C name.
func typeOf(name string) check.Basic {
	list := []check.Basic{check.Bool, check.Char, check.SChar, check.UChar, check.Short, check.UShort, check.Int, check.UInt,
		check.Long, check.ULong, check.LongLong, check.ULongLong, check.Float, check.Double, check.Node, check.Edge}
	i := slices.IndexFunc(list, func(b check.Basic) bool { return b.String() == name })
	if i < 0 {
		return check.Int
	}
	return list[i]
}

// argument returns an argument for a parameter of type t as rt has it.
func argument(t check.Type, a run.Value) rt.Value {
	v := rt.Value{Kind: rt.Int64, Int: a.Int, Float: a.Float}
	if b, ok := t.(check.Basic); ok && check.IsFloat(b) {
		v.Kind = rt.Float64
	}
	return v
}

// writeGraph writes what every program that requires r of its graph can look at.
func writeGraph(name string, g *graph.Graph, r check.Requires) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	v, err := run.ViewsOf(context.Background(), g, check.Needs{InEdges: true, Sources: true}, check.Requires{Weights: g.Weight != nil, Symmetric: r.Symmetric})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	out := &rt.Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: g.Weight, Src: v.Src}
	if out.In = out; v.In != g {
		out.In = &rt.Graph{RowStart: v.In.RowStart, Dst: v.In.Dst, Weight: v.In.Weight}
	}
	return errors.Join(rt.WriteInput(w, out, nil), w.Flush(), f.Close())
}
