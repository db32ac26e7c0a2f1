package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FilesOptions steer [CompileFiles].
type FilesOptions struct {
	Tools   Tools  // Self and NVCC
	Folder  string // of the .cu files, at any depth
	Match   *regexp.Regexp
	Std     string // such as c++17
	Target  string // such as sm_90
	Include []string
	Repeat  int
	Sample  int    // how many files that both compile are measured; 0 for all
	Seed    uint64 // of the choice
	// Progress, if not nil, is told what is being compiled.
	Progress func(done, all int, name string)
}

// A FileCost is what both compilers take for one file, from the start of the process to PTX: the
// smallest times of several runs, since whatever else the machine does only adds to them.
type FileCost struct {
	Name       string
	Library    bool // it includes cub or thrust
	Ours, NVCC Cost
}

// Ratio returns nvcc's processor time over ours.
func (f *FileCost) Ratio() float64 { return float64(f.NVCC.CPU) / max(1, float64(f.Ours.CPU)) }

// A FilesReport has the files that both compilers take, in order of ratios from the smallest on.
type FilesReport struct {
	Files   []FileCost
	Refused int // files that we do not compile
	NVCC    int // files that nvcc does not compile, of those that we do
}

// libraries are the headers that nvcc takes seconds for.
var libraries = []string{"<cub/", "<thrust/", "\"cub/", "\"thrust/"}

// CompileFiles compiles the files of a folder that both compilers take, by turns, as whole
// processes. The files are tried in an order that Seed gives, until Sample are measured.
func CompileFiles(ctx context.Context, o FilesOptions) (*FilesReport, error) {
	paths, err := cuFiles(o.Folder, o.Match)
	if err != nil {
		return nil, err
	}
	if o.Sample > 0 {
		r := rand.New(rand.NewPCG(o.Seed, 0))
		r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	}
	dir, err := os.MkdirTemp("", "irgl-compile-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	rep := new(FilesReport)
	for i, path := range paths {
		if o.Sample > 0 && len(rep.Files) == o.Sample {
			break
		}
		if o.Progress != nil {
			o.Progress(i, len(paths), path)
		}
		f := FileCost{Name: path, Library: usesLibrary(path)}
		list, refused := o.compile(ctx, dir, path)
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case refused == 0:
			rep.Refused++
			continue
		case refused == 1:
			rep.NVCC++
			continue
		default:
			f.Ours, f.NVCC = list[0], list[1]
			rep.Files = append(rep.Files, f)
			continue
		}
		break
	}
	slices.SortStableFunc(rep.Files, func(a, b FileCost) int {
		if c := a.Ratio() - b.Ratio(); c != 0 {
			return map[bool]int{true: -1, false: 1}[c < 0]
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rep, err
}

// compile returns the least costs of both compilers, or which of them does not compile the file, 2 for none.
func (o *FilesOptions) compile(ctx context.Context, dir, path string) (least [2]Cost, refused int) {
	std, target := "--std="+o.Std, "--target="+o.Target
	ours := slices.Concat(o.Tools.Self, []string{"build", path, "--emit=ptx", std, target, "-o", filepath.Join(dir, "ours.ptx")})
	nvcc := []string{o.Tools.NVCC, "-ptx", "-O3", "-w", "-std=" + o.Std, "-arch=" + o.Target, path, "-o", filepath.Join(dir, "nvcc.ptx")}
	for _, folder := range o.Include {
		ours, nvcc = append(ours, "-I", folder), append(nvcc, "-I", folder)
	}
	for i := range max(1, o.Repeat) {
		for k, args := range [][]string{ours, nvcc} {
			_, cost, err := run(ctx, dir, args...)
			if err != nil {
				return least, k
			}
			if i == 0 {
				least[k] = cost
			}
			least[k].Wall, least[k].CPU = min(least[k].Wall, cost.Wall), min(least[k].CPU, cost.CPU)
		}
	}
	return least, 2
}

// cuFiles returns the .cu files in a folder and below.
func cuFiles(folder string, match *regexp.Regexp) (paths []string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".cu" && (match == nil || match.MatchString(path)) {
			paths = append(paths, path)
		}
		return err
	})
	if err == nil && len(paths) == 0 {
		err = errors.New("there are no such .cu files in " + folder)
	}
	return paths, err
}

// usesLibrary reports whether a file includes a header of cub or thrust itself.
func usesLibrary(path string) bool {
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") && slices.ContainsFunc(libraries, func(l string) bool { return strings.Contains(line, l) }) {
			return true
		}
	}
	return false
}

// Of returns the files that use the libraries, or those that do not.
func (rep *FilesReport) Of(library bool) []FileCost {
	return slices.DeleteFunc(slices.Clone(rep.Files), func(f FileCost) bool { return f.Library != library })
}

// WriteMarkdown writes the ratios of nvcc's processor time to ours: their median, what nine files of ten
// reach, and the smallest ones.
func (rep *FilesReport) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| files | number | ours, median | nvcc, median | nvcc / ours: median | nine of ten | least |\n|---|---|---|---|---|---|---|\n")
	for _, library := range []bool{false, true} {
		files := rep.Of(library)
		if len(files) == 0 {
			continue
		}
		var ours, nvcc, ratios []float64
		for i := range files {
			ours, nvcc = append(ours, milliseconds(files[i].Ours.CPU)), append(nvcc, milliseconds(files[i].NVCC.CPU))
			ratios = append(ratios, files[i].Ratio())
		}
		name := map[bool]string{false: "without cub and thrust", true: "with cub or thrust"}[library]
		fmt.Fprintf(&b, "| %s | %d | %.1f ms | %.0f ms | %.1f | %.1f | %.1f |\n", name, len(files),
			median(ours), median(nvcc), median(ratios), ratios[len(ratios)/10], ratios[0])
	}
	fmt.Fprintf(&b, "\nProcessor time of whole processes, from the text to PTX. %d files more are refused by us, %d by nvcc alone.\n", rep.Refused, rep.NVCC)
	if len(rep.Files) > 0 {
		b.WriteString("\n| the smallest ratios | ours | nvcc | nvcc / ours |\n|---|---|---|---|\n")
	}
	for i := range rep.Files[:min(10, len(rep.Files))] {
		f := &rep.Files[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f |\n", f.Name, f.Ours.CPU.Round(time.Millisecond/10), f.NVCC.CPU.Round(time.Millisecond), f.Ratio())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
