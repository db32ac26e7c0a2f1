package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/syntax"
)

// rewrite runs rows over a CUDA program, whose tree it changes; the declarations of
// the device library are added only if o names the row library.
func rewrite(f *syntax.File, o Options) (*syntax.File, *pass.Report, error) {
	w := &Work{Options: o.Lower, file: f}
	if err := w.load(); err != nil {
		return nil, nil, err
	}
	if o.Passes == nil {
		o.Passes = slices.DeleteFunc(Passes().Names(), func(name string) bool { return name == "library" })
	}
	report, err := w.run(o)
	return w.file, report, err
}
