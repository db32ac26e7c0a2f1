package findings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/atomicfile"
)

// formats are the writers by their names.
var formats = []struct {
	name  string
	write func(w io.Writer, r *Run) error
}{{"text", writeText}, {"json", writeJSON}, {"sarif", writeSARIF}, {"junit", writeJUnit}}

// A Target is where a report goes, and in which form.
type Target struct {
	Format  string
	Pattern string // of the file; "" for standard error
	path    string // claimed
	write   func(w io.Writer, r *Run) error
}

// ParseTargets reads FORMAT:FILE, or several of these with commas between them, as "text,sarif:out.sarif". Only text may be
// without a file.
func ParseTargets(list string) ([]*Target, error) {
	var out []*Target
	for item := range strings.SplitSeq(list, ",") {
		if item == "" {
			continue
		}
		name, file, named := strings.Cut(item, ":")
		i := slices.IndexFunc(formats, func(f struct {
			name  string
			write func(w io.Writer, r *Run) error
		}) bool {
			return f.name == name
		})
		switch {
		case i < 0:
			return nil, fmt.Errorf("a report is of format text, json, sarif or junit, with a file as in sarif:out.sarif: not %q", item)
		case named && file == "":
			return nil, fmt.Errorf("the report %q has no file behind its colon", item)
		case !named && name != "text":
			return nil, fmt.Errorf("a report of format %s needs a file, as in %[1]s:out.%s", name, (&Target{Format: name}).ending())
		}
		out = append(out, &Target{Format: name, Pattern: file, write: formats[i].write})
	}
	return out, nil
}

// expand replaces %p by the number of a process, %n by the name of the program, and %% by %.
func expand(pattern, program string, process int) string {
	return strings.NewReplacer("%%", "%", "%p", strconv.Itoa(process), "%n", filepath.Base(program)).Replace(pattern)
}

// Claim makes the file the process's. If there is one already, it is another process's, or an earlier run's: then the
// file has the process's number in its name, and note says so.
func (t *Target) Claim(program string, process int) (note string, err error) {
	if t.Pattern == "" {
		return "", nil
	}
	path := expand(t.Pattern, program, process)
	if st, err := os.Stat(path); err == nil && (st.IsDir() || strings.HasSuffix(path, "/")) {
		path = filepath.Join(path, expand("%n.%p.", program, process)+t.ending())
	} else if err == nil && !st.Mode().IsRegular() { // /dev/null, a pipe
		t.path = path
		return "", nil
	}
	err = create(path)
	if errors.Is(err, fs.ErrExist) {
		first, ext := path, filepath.Ext(path)
		for n := 1; errors.Is(err, fs.ErrExist); n++ {
			number := strconv.Itoa(process)
			if n > 1 { // a number of a process is used again, also in containers
				number += "-" + strconv.Itoa(n)
			}
			path = strings.TrimSuffix(first, ext) + "." + number + ext
			err = create(path)
		}
		note = fmt.Sprintf("the report is in %s: %s is there already, of another process or an earlier run; %%p in the name stands for the number of the process", path, first)
	}
	if err != nil {
		return "", fmt.Errorf("the report: %w", err)
	}
	t.path = path
	return note, nil
}

// Replace removes the file, if its name is of no process: a single run replaces the report of an earlier one. A folder that is not
// there is an error before the run.
func (t *Target) Replace() error {
	if t.Pattern == "" || expand(t.Pattern, "", 0) != t.Pattern {
		return nil
	}
	if dir := filepath.Dir(t.Pattern); !isFolder(dir) {
		return fmt.Errorf("the report: there is no folder %s", dir)
	}
	if st, err := os.Stat(t.Pattern); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	return os.Remove(t.Pattern)
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// ending returns the end of names of files of the format.
func (t *Target) ending() string {
	switch t.Format {
	case "junit":
		return "xml"
	case "text":
		return "txt"
	}
	return t.Format
}

// create makes an empty file that is not there.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// Write writes the report to the claimed file, as a whole or not at all.
func (t *Target) Write(ctx context.Context, r *Run) error {
	err := atomicfile.Write(ctx, t.path, func(w io.Writer) error { return t.write(w, r) })
	if err != nil {
		return fmt.Errorf("the report: %w", err)
	}
	return nil
}
