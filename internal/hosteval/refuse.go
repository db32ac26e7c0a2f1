package hosteval

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cudabuild"
	"irgl/internal/device/simt"
	"irgl/internal/source"
)

const install = "install g++ or clang++, which compiles such host code"

// codeOnlyCalled is the checker's error of a function of the C library whose address is taken.
const codeOnlyCalled = "C0029"

// refuseLambdas returns an error for a kernel that has a lambda of host code among its arguments: only the
// host's compiler knows how device code can name it.
func refuseLambdas(path string, kernels []string) error {
	for _, k := range kernels {
		if name := simt.CXXName(k); strings.Contains(name, "{lambda") {
			return fmt.Errorf("%s: kernel %s: host code that irgl evaluates cannot launch a kernel with a lambda: use a class with operator(), or %s", path, name, install)
		}
	}
	return nil
}

// refuse reports what a program has that is not evaluated, by name: headers of the host that are not
// here. It returns nil where there is nothing.
func refuse(f *source.File, o *cudabuild.Options) *source.List {
	var diags, ignored source.List
	p := o.Preprocessing()
	pre := cpp.Preprocess(f, cpp.Options{
		Dialect: cpp.CXX, Defines: p.Defines, Std: 201703,
		Includes: []string{"<irgl/host/prelude.h>"},
		Includer: &cpp.Folders{User: p.Includes, System: p.System, Embedded: library{}},
	}, &ignored)
	for _, inc := range pre.Includes {
		if inc.Found != cpp.HostOnly || strings.HasPrefix(inc.Name, "irgl/") {
			continue
		}
		if inc.Pos.File != nil && inc.Pos.File.Name == "irgl/host/prelude.h" {
			continue
		}
		d := diags.Errorf(inc.Pos, source.Pos{}, codeHeader, "host code that irgl evaluates cannot include <%s>", inc.Name)
		d.Hint = install
	}
	main := slices.ContainsFunc(pre.Tokens, func(t cpp.Token) bool { return t.Text() == "main" })
	if !main && diags.Errors() == 0 {
		d := diags.Errorf(f.At(1, 1), source.Pos{}, codeMain, "%s has no function main", f.Name)
		d.Hint = "name the source that has it; programs of several sources need g++ or clang++"
	}
	if diags.Errors() == 0 {
		return nil
	}
	return &diags
}
