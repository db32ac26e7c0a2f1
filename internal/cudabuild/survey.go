package cudabuild

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"irgl/internal/cxx/hostcode"
	"irgl/internal/infile"
	"irgl/internal/source"
)

// SurveyOptions say what is surveyed and how it is compiled.
type SurveyOptions struct {
	Includes []string // folders of headers, of a file's folder and those above it, before the usual ones
	Defines  []string // NAME or NAME=VALUE
	Match    string   // of the paths; "" for all
	Target   string
	Files    bool // list the files
	NoHost   bool // do not ask the host's compiler for the instances of templates
}

// fileLimit is how long one file may take.
const fileLimit = 30 * time.Second

// A surveyed is a file that defines kernels, and what became of them.
type surveyed struct {
	suite     string
	path      string
	kernels   []hostcode.Kernel
	in        int    // kernels that are in the PTX of a translation unit
	notNeeded int    // kernels that no translation unit needs: see unit.needs
	by        string // the translation unit, if it is another file
	err       string // the first error; "" for an accepted file
}

// A survey is the files below folders: those that define kernels, by their paths, and
// the translation units.
type survey struct {
	opts   *SurveyOptions
	ptxas  string
	hosts  *builder // nil without a compiler for host code
	files  []*surveyed
	byPath map[string]*surveyed
	units  []*unit
}

// Survey compiles the translation units below folders and prints what became of the
// files that define kernels.
func Survey(ctx context.Context, folders []string, o SurveyOptions, w io.Writer) error {
	s := &survey{opts: &o, ptxas: findPtxas(), byPath: map[string]*surveyed{}}
	for _, folder := range folders {
		if err := s.find(folder); err != nil {
			return err
		}
	}
	if len(s.units) == 0 {
		return fmt.Errorf("there is no source with kernels below %s", strings.Join(folders, ", "))
	}
	if !o.NoHost {
		dir, err := os.MkdirTemp("", "irgl-survey-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		s.hosts = surveyHost(ctx, dir)
	}
	if err := s.compile(ctx, s.units); err != nil {
		return err
	}
	having := s.having()
	alone := len(s.units)
	for _, f := range s.files {
		if len(having[f]) == 0 {
			s.units = append(s.units, &unit{path: f.path})
		}
	}
	if err := s.compile(ctx, s.units[alone:]); err != nil {
		return err
	}
	s.attribute(s.having())
	return s.print(w)
}

// compile compiles units, as many at a time as there are processors.
func (s *survey) compile(ctx context.Context, units []*unit) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, u := range units {
		group.Go(func() error {
			u.compile(ctx, s)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// sourceKind says of a file's extension whether files of it may define kernels, and
// whether they are translation units.
var sourceKind = map[string]struct{ unit, cuda bool }{
	".cu": {true, true}, ".cpp": {unit: true}, ".cxx": {unit: true}, ".cc": {unit: true}, ".c": {unit: true},
	".cuh": {}, ".h": {}, ".hpp": {}, ".hxx": {}, ".hh": {}, ".inl": {}, ".inc": {},
}

// find adds the files below a folder. A translation unit is a .cu file, or another
// source that defines kernels.
func (s *survey) find(folder string) error {
	suite := filepath.Base(filepath.Clean(folder))
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		kind, isSource := sourceKind[filepath.Ext(path)]
		if err != nil || d.IsDir() || !isSource || !strings.Contains(path, s.opts.Match) {
			return infile.Plain(err)
		}
		text, err := os.ReadFile(path)
		if err != nil && d.Type()&fs.ModeSymlink != 0 {
			return nil // a link to what is not there
		}
		if err != nil {
			return err
		}
		var kernels []hostcode.Kernel
		if strings.Contains(string(text), "__global__") {
			kernels = hostcode.Kernels(source.NewFile(path, text))
		}
		path = filepath.Clean(path)
		if len(kernels) > 0 {
			f := &surveyed{suite: suite, path: path, kernels: kernels}
			s.files = append(s.files, f)
			s.byPath[path] = f
		}
		if kind.cuda || kind.unit && len(kernels) > 0 {
			s.units = append(s.units, &unit{path: path})
		}
		return nil
	})
}

// Sources returns the .cu files below a folder whose paths contain match.
func Sources(folder, match string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && sourceKind[filepath.Ext(path)].cuda && strings.Contains(path, match) {
			out = append(out, path)
		}
		return err
	})
	return out, err
}

// having returns the units that have each file's text, itself first.
func (s *survey) having() map[*surveyed][]*unit {
	having := map[*surveyed][]*unit{}
	for _, u := range s.units {
		for _, f := range u.files {
			if f.path == u.path {
				having[f] = slices.Insert(having[f], 0, u)
			} else {
				having[f] = append(having[f], u)
			}
		}
	}
	return having
}

// attribute counts the kernels of each file over the translation units that have it: a
// kernel is in the PTX if it is in that of one of them.
func (s *survey) attribute(having map[*surveyed][]*unit) {
	for _, f := range s.files {
		f.count(having[f])
	}
	s.files = slices.DeleteFunc(s.files, func(f *surveyed) bool { return f.err == "" && f.notNeeded == len(f.kernels) })
}

// count notes what became of a file's kernels in the translation units that have it,
// itself first.
func (f *surveyed) count(units []*unit) {
	whole := slices.IndexFunc(units, func(u *unit) bool { return u.err == "" })
	for _, k := range f.kernels {
		switch {
		case slices.ContainsFunc(units, func(u *unit) bool { return u.have[k.Name] }):
			f.in++
		case whole >= 0 && !slices.ContainsFunc(units, func(u *unit) bool { return u.needs(f, k) }):
			f.notNeeded++
		default:
			f.err = cmp.Or(f.err, units[0].err, unitErrors(units), missing(k))
		}
	}
	if by := units[max(whole, 0)].path; by != f.path {
		f.by = by
	}
}

// unitErrors returns the first error that the host's compiler, or ours, has of units.
func unitErrors(units []*unit) string {
	for _, u := range units {
		if e := cmp.Or(u.err, suffix("host code: ", u.hostErr)); e != "" {
			return e
		}
	}
	return ""
}

func missing(k hostcode.Kernel) string {
	if k.Template {
		return "a template kernel has no instance: '" + k.Name + "'"
	}
	return "a kernel is not in the PTX: '" + k.Name + "'"
}
