package cudabuild

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"irgl/internal/table"
)

func (s *survey) print(w io.Writer) error {
	if s.opts.Files {
		for _, f := range s.files {
			if _, err := fmt.Fprintf(w, "%s: %d of %d kernels%s\n", f.path, f.in, len(f.kernels)-f.notNeeded, suffix(", by ", f.by)+suffix(": ", f.err)); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	if err := s.printRows(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nNot needed are kernels that the preprocessor removes, and templates of which host code uses no instance.")
	if s.hosts == nil {
		fmt.Fprintln(w, "\nThe host's compiler was not asked for the instances of template kernels: those are known that launches name.")
	}
	if s.ptxas == "" {
		fmt.Fprintln(w, "\nThere is no ptxas: that it takes the PTX was not checked.")
	}
	return s.printErrors(w)
}

// printRows prints the numbers of files and kernels by suite.
func (s *survey) printRows(w io.Writer) error {
	t := table.New("suite", "files", "accepted", "%", "kernels", "in PTX", "%", "not needed")
	total := surveyRow{}
	bySuite := map[string]*surveyRow{}
	var suites []string
	for _, f := range s.files {
		r := bySuite[f.suite]
		if r == nil {
			r = &surveyRow{}
			bySuite[f.suite] = r
			suites = append(suites, f.suite)
		}
		r.add(f)
		total.add(f)
	}
	for _, name := range suites {
		t.Add(bySuite[name].cells(name)...)
	}
	t.Add(total.cells("all")...)
	return t.WriteMarkdown(w)
}

// printErrors prints the first errors of the files that are not accepted, and how many
// kernels each keeps out.
func (s *survey) printErrors(w io.Writer) error {
	type blocked struct{ files, kernels int }
	errs := map[string]blocked{}
	for _, f := range s.files {
		if f.err != "" {
			b := errs[general(f.err)]
			errs[general(f.err)] = blocked{b.files + 1, b.kernels + len(f.kernels) - f.notNeeded - f.in}
		}
	}
	if len(errs) == 0 {
		return nil
	}
	t := table.New("files", "kernels", "first error")
	for _, e := range slices.SortedFunc(maps.Keys(errs), func(a, b string) int {
		return cmp.Or(cmp.Compare(errs[b].files, errs[a].files), cmp.Compare(errs[b].kernels, errs[a].kernels), cmp.Compare(a, b))
	}) {
		t.Add(fmt.Sprint(errs[e].files), fmt.Sprint(errs[e].kernels), e)
	}
	fmt.Fprintln(w)
	return t.WriteMarkdown(w)
}

type surveyRow struct{ files, accepted, kernels, in, notNeeded int }

func (r *surveyRow) add(f *surveyed) {
	r.files++
	r.kernels += len(f.kernels) - f.notNeeded
	r.in += f.in
	r.notNeeded += f.notNeeded
	if f.err == "" {
		r.accepted++
	}
}

func (r *surveyRow) cells(name string) []string {
	return []string{name, fmt.Sprint(r.files), fmt.Sprint(r.accepted), percent(r.accepted, r.files), fmt.Sprint(r.kernels), fmt.Sprint(r.in), percent(r.in, r.kernels), fmt.Sprint(r.notNeeded)}
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

func suffix(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// general returns an error's text without the names in it, so that equal errors are counted together.
func general(text string) string {
	var b strings.Builder
	quoted := false
	for _, c := range text {
		switch {
		case c == '\'' || c == '`':
			quoted = !quoted
			b.WriteRune(c)
			if quoted {
				b.WriteString("...")
			}
		case !quoted:
			b.WriteRune(c)
		}
	}
	if quoted { // an apostrophe
		return text
	}
	return b.String()
}
