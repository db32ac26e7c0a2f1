package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

//go:embed nvcc.sh
var nvccScript string

//go:embed recorder/recorder.c
var recorderSource string

// compilers are the names of the two builds of a program, ours first.
var compilers = []string{"irgl", "nvcc"}

// A program is a row with what became of its builds: the file program.json beside them.
type program struct {
	row
	Command string           `json:"command"`           // Run, or what the Makefile says
	Missing []string         `json:"missing,omitempty"` // inputs that its run names and the repository does not have
	Builds  map[string]built `json:"builds"`            // by compiler
}

// A built is one build of a program.
type built struct {
	Compiler string  `json:"compiler"` // identifies compiler, target and row
	Reason   string  `json:"reason,omitempty"`
	Seconds  float64 `json:"seconds"`
}

// A builder builds programs into a folder, which has for each program
//
//	programs/SUITE/NAME/program.json
//	programs/SUITE/NAME/files/FOLDER/...   inputs, from the repository's root
//	programs/SUITE/NAME/irgl/...           what was built, from the program's folder; nvcc/ likewise
//	programs/SUITE/NAME/irgl.log           what the compiler said
type builder struct {
	sources, out string
	irgl, nvcc   string // commands
	arch         string
	limit        time.Duration
	ids          map[string]string // of compilers
}

func buildCommand() *cobra.Command {
	b := &builder{ids: map[string]string{}}
	var table, cupti string
	var only pattern
	var jobs int
	var fetch bool
	cmd := &cobra.Command{
		Use:   "build --sources DIR --out DIR",
		Short: "Build the programs by both compilers, and the recorder of kernels",
		Long: `Build programs by irgl and by nvcc. What was built before by the same compiler, for the same
target and from the same row of the table is kept. A program that a compiler refuses is no error: it is listed
with the reason. Sources are not changed.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&b.sources, "sources", "", "the `DIR` with a checkout of each repository")
	f.StringVar(&b.out, "out", "", "the `DIR` that is made")
	f.StringVar(&table, "table", "", "programs of this `FILE` instead of the built-in table")
	f.Var(&only, "only", "programs whose names match")
	f.IntVar(&jobs, "jobs", 1, "programs that are built at once")
	f.StringVar(&b.nvcc, "nvcc", "nvcc", "`PATH` of nvcc; \"\" builds by irgl alone")
	f.StringVar(&b.irgl, "irgl", "irgl", "`PATH` of irgl")
	f.StringVar(&b.arch, "arch", "sm_90", "the target of both")
	f.StringVar(&cupti, "cupti", "", "the `DIR` of CUPTI, with include and lib, such as nvidia/cu13 of the wheel nvidia-cuda-cupti: builds the recorder")
	f.DurationVar(&b.limit, "limit", 10*time.Minute, "of each build")
	f.BoolVar(&fetch, "fetch-list", false, "only print the repositories and commits that --sources needs")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		rows, err := loadTable(table, only.Regexp)
		if err != nil {
			return err
		}
		if fetch {
			return printRepositories(cmd, rows)
		}
		if b.sources == "" || b.out == "" || jobs < 1 {
			return errors.New("build needs --sources and --out, and --jobs of at least 1")
		}
		if err := b.prepare(cmd.Context(), cupti); err != nil {
			return err
		}
		return b.all(cmd, rows, jobs)
	}
	return cmd
}

func printRepositories(cmd *cobra.Command, rows []row) error {
	known := map[suite]bool{}
	for _, r := range rows {
		if !known[r.Suite] {
			known[r.Suite] = true
			cmd.Printf("%s %s\n", r.Suite.Repository, r.Suite.Commit)
		}
	}
	return nil
}

// prepare identifies the compilers and puts a script nvcc for each into a folder of its own,
// which is the first of PATH when it builds.
func (b *builder) prepare(ctx context.Context, cupti string) (err error) {
	if b.sources, err = filepath.Abs(b.sources); err != nil {
		return err
	}
	if b.out, err = filepath.Abs(b.out); err != nil {
		return err
	}
	if err := os.MkdirAll(b.out, 0o777); err != nil {
		return err
	}
	if b.irgl, err = found(b.irgl); err != nil {
		return err
	}
	text, err := os.ReadFile(b.irgl)
	if err != nil {
		return err
	}
	b.ids["irgl"] = fmt.Sprintf("%x", sha256.Sum256(text))[:12]
	if err := b.tool("irgl", quoted(b.irgl)+" cuda build"); err != nil {
		return err
	}
	if b.nvcc == "" {
		return nil
	}
	if b.nvcc, err = found(b.nvcc); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, b.nvcc, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", b.nvcc, err)
	}
	b.ids["nvcc"] = lastLine(string(version))
	home := filepath.Dir(filepath.Dir(b.nvcc))
	command := quoted(b.nvcc) + dropped
	if libs := filepath.Join(home, "lib"); exists(filepath.Join(libs, "libcudart_static.a")) { // the wheel's, where nvcc does not look
		command += " -L" + quoted(libs)
	}
	if cupti != "" { // some programs include cuda_profiler_api.h
		command += " -I" + quoted(filepath.Join(cupti, "include"))
	}
	if err := b.tool("nvcc", command); err != nil {
		return err
	}
	if cupti == "" {
		return nil
	}
	return b.recorder(ctx, cupti, filepath.Join(home, "include"))
}

// dropped gives nvcc the names that CUDA 13 has dropped and irgl still has: functions by their
// new names, and the properties of devices that programs print by others: the rates of clocks by a
// number, the rest by what is the same on GPUs of servers.
const dropped = " -DcudaThreadSynchronize=cudaDeviceSynchronize -DcudaThreadExit=cudaDeviceReset" +
	" -DclockRate=persistingL2CacheMaxSize -DmemoryClockRate=persistingL2CacheMaxSize -DdeviceOverlap=asyncEngineCount -DcomputeMode=tccDriver -DkernelExecTimeoutEnabled=isMultiGpuBoard"

func found(command string) (string, error) {
	p, err := exec.LookPath(command)
	if err != nil {
		return "", err
	}
	return filepath.Abs(p)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func (b *builder) toolFolder(compiler string) string { return filepath.Join(b.out, "tools", compiler) }

func (b *builder) tool(compiler, command string) error {
	script := strings.NewReplacer("@COMPILER@", command, "@ARCH@", b.arch).Replace(nvccScript)
	file := filepath.Join(b.toolFolder(compiler), "bin", "nvcc")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(script), 0o777)
}

// recorder builds recorder.so, and puts CUPTI's library beside it.
func (b *builder) recorder(ctx context.Context, cupti, cuda string) error {
	source := filepath.Join(b.out, "tools", "recorder.c")
	if err := os.WriteFile(source, []byte(recorderSource), 0o666); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "gcc", "-O2", "-fPIC", "-shared", "-I"+filepath.Join(cupti, "include"), "-I"+cuda,
		source, "-o", filepath.Join(b.out, "recorder.so"), "-ldl", "-lpthread").CombinedOutput()
	if err != nil {
		return fmt.Errorf("the recorder: %w\n%s", err, out)
	}
	libs, err := filepath.Glob(filepath.Join(cupti, "lib*", "libcupti.so.*"))
	if err != nil || len(libs) == 0 {
		return fmt.Errorf("no libcupti.so in %s", cupti)
	}
	return copyFile(libs[0], filepath.Join(b.out, "libcupti.so"))
}

// all builds rows and prints a line for each.
func (b *builder) all(cmd *cobra.Command, rows []row, jobs int) error {
	var mu sync.Mutex
	counts := map[string]int{}
	group, ctx := errgroup.WithContext(cmd.Context())
	group.SetLimit(jobs)
	for _, r := range rows {
		group.Go(func() error {
			p, err := b.program(ctx, r)
			if err != nil {
				return fmt.Errorf("%s: %w", r.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			line := p.Name
			for _, c := range compilers {
				switch d, tried := p.Builds[c]; {
				case tried && d.Reason == "":
					counts[c]++
					line += fmt.Sprintf("  %s %.1f s", c, d.Seconds)
				case tried:
					line += fmt.Sprintf("  %s: %s", c, d.Reason)
				}
			}
			for _, m := range p.Missing {
				line += "  no " + m
			}
			cmd.Println(line)
			return nil
		})
	}
	err := group.Wait()
	cmd.Printf("%d programs: %d built by irgl, %d by nvcc\n", len(rows), counts["irgl"], counts["nvcc"])
	return err
}

// program builds one row by each compiler. An error is one of the machine or of the sources;
// what a compiler refuses is in the result.
func (b *builder) program(ctx context.Context, r row) (program, error) {
	dir := filepath.Join(b.out, "programs", filepath.FromSlash(r.Name))
	p := program{row: r, Command: r.Run, Builds: map[string]built{}}
	var old program
	if text, err := os.ReadFile(filepath.Join(dir, "program.json")); err == nil {
		if err := json.Unmarshal(text, &old); err != nil {
			return p, fmt.Errorf("program.json: %w", err)
		}
	}
	root := filepath.Join(b.sources, r.Suite.folder())
	if r.Run == runTarget {
		p.Command, _ = makefileRun(ctx, filepath.Join(root, r.Folder)) // the builds say why there is none
	}
	for _, c := range compilers {
		d, known := old.Builds[c]
		id, asked := b.ids[c]
		id = fmt.Sprintf("%s %s %s", id, b.arch, r.buildKey())
		if known && (d.Compiler == id && d.Reason == "" || !asked && strings.HasSuffix(d.Compiler, r.buildKey())) {
			p.Builds[c], p.Missing = d, old.Missing
			continue
		}
		if !asked {
			continue
		}
		begin := time.Now()
		reason, err := b.one(ctx, &p, c, dir)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return p, err
		}
		p.Builds[c] = built{id, reason, time.Since(begin).Seconds()}
	}
	text, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return p, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return p, err
	}
	return p, os.WriteFile(filepath.Join(dir, "program.json"), append(text, '\n'), 0o666)
}

// buildKey identifies what a row says of builds and inputs.
func (r row) buildKey() string {
	all := []string{r.Suite.Repository, r.Suite.Commit, r.Folder, r.Build, r.Input, r.Run, r.Small, strings.Join(r.Files, " ")}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(all, "\x00"))))[:12]
}

// one builds a program by one compiler, and returns the reason why it does not build.
func (b *builder) one(ctx context.Context, p *program, compiler, dir string) (reason string, err error) {
	if err := checkDisk(b.out); err != nil {
		return "", err
	}
	work := filepath.Join(b.out, "work", strings.ReplaceAll(p.Name, "/", "_")+"."+compiler)
	if err := errors.Join(os.RemoveAll(work), os.RemoveAll(filepath.Join(dir, compiler))); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	root := filepath.Join(b.sources, p.Suite.folder())
	if err := mirror(root, p.Folder, work); err != nil {
		return err.Error(), nil
	}
	folder := filepath.Join(work, p.Folder)
	if err := removeBuilt(folder); err != nil {
		return "", err
	}
	if p.Input != "" {
		if o := execute(ctx, folder, p.Input, nil, b.limit); o.Status != statusOK {
			return fmt.Sprintf("input: %s: %s", o.Status, lastLine(string(o.output))), nil
		}
	}
	if err := collectInputs(p, work, filepath.Join(dir, "files")); err != nil {
		return err.Error(), nil
	}
	tools := b.toolFolder(compiler)
	env := []string{"PATH=" + filepath.Join(tools, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "CUDA=" + tools, "MAKEFLAGS="}
	o := execute(ctx, folder, p.Build, env, b.limit)
	if err := os.WriteFile(filepath.Join(dir, compiler+".log"), o.output, 0o666); err != nil {
		return "", err
	}
	if o.Status != statusOK {
		return o.Status + ": " + firstError(string(o.output)), nil
	}
	n, err := collectBuilt(folder, filepath.Join(dir, compiler))
	switch {
	case err != nil:
		return "", err
	case n == 0:
		return "the build makes no program", nil
	case p.Command == "":
		return "its Makefile has no target run", nil
	}
	return "", nil
}

var errorLine = regexp.MustCompile(`(?i)\berror\b.*:|undefined reference|multiple definition|No such file|No rule|cannot find`)

// firstError returns the line of a compiler's output that says what is wrong.
func firstError(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if errorLine.MatchString(l) {
			if l = strings.TrimSpace(l); len(l) > 200 {
				l = l[:200]
			}
			return l
		}
	}
	return lastLine(text)
}

// removeBuilt removes objects and programs that a repository has in it, so that make does not
// take them for new.
func removeBuilt(folder string) error {
	return filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (linked(p) || path.Ext(p) == ".o") {
			err = os.Remove(p)
		}
		return err
	})
}

// collectInputs copies what the program may read when it runs. p.Missing gets the inputs that
// are not there.
func collectInputs(p *program, root, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	runs := p.Command + "\n" + p.Small
	inside, err := inputsOf(filepath.Join(root, p.Folder), runs)
	if err != nil {
		return err
	}
	all := slices.Clone(p.Files)
	for _, name := range inside {
		all = append(all, path.Join(p.Folder, name))
	}
	have, lack := outside(root, p.Folder, runs)
	p.Missing = lack
	var total int64
	for _, name := range append(all, have...) {
		from, err := filepath.EvalSymlinks(filepath.Join(root, name))
		if err != nil {
			p.Missing = append(p.Missing, name)
			continue
		}
		n, err := treeSize(from)
		if err != nil {
			return err
		}
		if total += n; total > maxInput {
			return fmt.Errorf("its inputs have more than %d MB", maxInput>>20)
		}
		if exists(filepath.Join(to, name)) {
			continue
		}
		if err := copyTree(from, filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(to, p.Folder), 0o777)
}

// collectBuilt copies the programs and libraries of a folder.
func collectBuilt(folder, to string) (n int, err error) {
	err = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !linked(p) {
			return err
		}
		rel, err := filepath.Rel(folder, p)
		if err != nil {
			return err
		}
		n++
		return copyFile(p, filepath.Join(to, rel))
	})
	return n, err
}

// loadPrograms returns the programs below a folder that build made, in the order of names.
func loadPrograms(dir string, only *regexp.Regexp) ([]program, error) {
	files, err := filepath.Glob(filepath.Join(dir, "programs", "*", "*", "program.json"))
	if err != nil {
		return nil, err
	}
	var all []program
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var p program
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if only == nil || only.MatchString(p.Name) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no program matches", dir)
	}
	return all, nil
}
