package devlib

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/abi"
	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

func loaded(t *testing.T, o Options) *Library {
	t.Helper()
	lib, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// names returns what declarations declare, in order.
func names(decls []syntax.Decl) []string {
	var out []string
	for _, d := range decls {
		out = append(out, declared(d)...)
	}
	return out
}

// TestSelect checks that what is selected brings what it needs, in the order of
// the sources, and nothing else.
func TestSelect(t *testing.T) {
	lib := loaded(t, Options{})
	for _, tt := range []struct{ want, get string }{
		{"irgl_thread", "irgl_thread"},
		{"irgl_worklist irgl_push", "irgl_push"},
		{"irgl_any", "irgl_any"},
		{"irgl_check irgl_worklist irgl_pipe irgl_pipe_close", "irgl_pipe_close"},
		{"irgl_check irgl_overflow irgl_worklist irgl_pipe irgl_counter irgl_next_counter irgl_fresh_retry irgl_respawn irgl_retry", "irgl_retry"},
		{"irgl_check irgl_worklist irgl_pipe irgl_pipe_close irgl_retry_close", "irgl_retry_close"},
		{"irgl_popcll irgl_clzll irgl_ffsll irgl_ffs irgl_popc", "irgl_ffs irgl_popc nothing"},
		{"irgl_worklist irgl_lane irgl_lanes_below irgl_add_once irgl_add_same irgl_put irgl_push_warp", "irgl_push_warp"},
		{"", "atomicAdd"},
	} {
		got := names(lib.Select(strings.Fields(tt.get)...))
		want := strings.Fields(tt.want)
		slices.Sort(want)
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
			t.Errorf("%s needs %v, want %v", tt.get, sorted, want)
		}
		last := -1
		for _, name := range got {
			if at := lib.index[name]; at < last {
				t.Errorf("%s stands out of order", name)
			} else {
				last = at
			}
		}
	}
	if lib.Has("nothing") || !lib.Has("irgl_worklist") {
		t.Error("Has is wrong")
	}
}

// TestEach checks that each declaration with what it needs is a program that
// checks without a diagnostic, with both index types, and that every name is
// the library's own.
func TestEach(t *testing.T) {
	for _, wide := range []bool{false, true} {
		lib := loaded(t, Options{Index64: wide})
		for _, d := range lib.decls {
			for _, name := range declared(d) {
				if !strings.HasPrefix(name, "irgl_") {
					t.Errorf("the name %s is not the library's", name)
				}
				f := &syntax.File{Name: name, Dialect: syntax.CUDA, Decls: lib.Select(name)}
				text := syntax.String(f)
				var diags source.List
				tree := syntax.Parse(source.NewFile(name+".cu", []byte(text)), syntax.CUDA, &diags)
				check.Check(tree, &diags)
				if len(diags.Diags) > 0 {
					t.Errorf("%s: %v\n%s", name, diags.Diags[0], text)
				}
				if want := map[bool]string{false: "unsigned int", true: "long"}[wide]; name == "irgl_index" && !strings.Contains(text, want+" irgl_index") {
					t.Errorf("wide %v: %s", wide, text)
				}
			}
		}
	}
}

// TestMethod checks that the annotations name functions of the library or of the
// language, and each level of a push.
func TestMethod(t *testing.T) {
	lib := loaded(t, Options{})
	for key, name := range annotated() {
		level, fun, _ := strings.Cut(key, " ")
		if !lib.Has(name) || !lib.Has(fun) && check.LookupBuiltin(fun) == nil {
			t.Errorf("@%s(%s) is %s", level, fun, name)
		}
	}
	want := map[Level]string{Thread: "irgl_reserve", Warp: "irgl_reserve_warp", ThreadBlock: "irgl_reserve_block", Task: "irgl_put", Once: "irgl_push_warp"}
	for level, name := range want {
		if got, err := Method(level, "irgl_push"); got != name || err != nil {
			t.Errorf("@%s(irgl_push) is %s, want %s: %v", level, got, name, err)
		}
	}
	for _, form := range []string{"", "_long"} { // those of 8 bytes have names of their own
		for _, fun := range []string{"irgl_add", "irgl_add_same"} {
			if !lib.Has(fun + form) {
				t.Errorf("there is no %s%s", fun, form)
			}
		}
	}
	if got, err := Method(Once, "atomicAdd"); got != "irgl_add" || err != nil {
		t.Errorf("@once(atomicAdd) is %s: %v", got, err)
	}
	if _, err := Method(Task, "irgl_any"); err == nil {
		t.Error("@task(irgl_any) is there")
	}
}

// TestHostForms checks that the device library has the functions that take the
// place of builtins in host code.
func TestHostForms(t *testing.T) {
	lib, n := loaded(t, Options{}), 0
	for name := range builtin.Names() {
		if form := builtin.Lookup(name).HostForm; form != "" {
			n++
			if !lib.Has(form) {
				t.Errorf("%s: the library has no %s", name, form)
			}
		}
	}
	if n == 0 {
		t.Error("no builtin has a form for the host")
	}
}

// TestMacros: the sources name only macros that package abi defines, no name of one
// begins another, and each is used.
func TestMacros(t *testing.T) {
	macros, used := abi.Limits{}.Macros(), map[string]bool{}
	for _, text := range [][]byte{deviceText, coopText, boundsText, scopeText, aheadText, hostText} {
		for _, name := range regexp.MustCompile(`\bIRGL_\w+`).FindAllString(string(text), -1) {
			if used[name] = true; macros[name] == "" {
				t.Errorf("%s is not defined", name)
			}
		}
	}
	for name := range macros {
		if !used[name] {
			t.Errorf("%s is not used", name)
		}
		for other := range macros {
			if other != name && strings.HasPrefix(other, name) {
				t.Errorf("%s begins %s", name, other)
			}
		}
	}
}
