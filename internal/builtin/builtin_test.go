package builtin

import (
	"strings"
	"testing"
)

// TestRows checks what must hold of every row.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for name := range Names() {
		r := Lookup(name)
		switch {
		case seen[name]:
			t.Errorf("%s has two rows", name)
		case r == nil || r.Name != name:
			t.Fatalf("%s is not found: %v", name, r)
		case !r.Host && !r.Device:
			t.Errorf("%s is nowhere allowed", name)
		case r.CUDAOnly && r.IrGLOnly:
			t.Errorf("%s is in no dialect", name)
		case r.Kind == Func && len(r.Forms) == 0 && r.Rule != CtorCall:
			t.Errorf("%s has no signature", name)
		case r.Kind != Func && r.Rule != CtorCall && len(r.Forms) > 0:
			t.Errorf("%s is not a function and has signatures", name)
		case r.Kind == Const && r.Value == "":
			t.Errorf("%s has no value", name)
		case r.Rule == AtomicCall != (r.Effects&Atomic != 0):
			t.Errorf("%s: the rule and the effects disagree about atomicity", name)
		case r.Rule == PrintfCall != (r.Effects&Output != 0):
			t.Errorf("%s: the rule and the effects disagree about output", name)
		case !r.Host && r.Engines&HostEval != 0, !r.Device && r.Engines&DeviceGen != 0:
			t.Errorf("%s is in an engine that runs no code that may use it", name)
		}
		seen[name] = true
	}
	if len(seen) < 600 {
		t.Errorf("only %d rows", len(seen))
	}
	if Lookup("nosuch") != nil || Lookup("") != nil {
		t.Error("found what is not there")
	}
}

// TestOperatorCode checks that what operator code may use exists in every engine
// that IrGL runs on: check refuses nothing there that the language allows.
func TestOperatorCode(t *testing.T) {
	for name := range Names() {
		r := Lookup(name)
		if r.CUDAOnly || r.LowLevel != "" {
			continue
		}
		if r.Host && !r.Available(true, true) || r.Device && !r.Available(true, false) {
			t.Errorf("%s is part of IrGL, and an engine lacks it: %b", name, r.Engines)
		}
	}
}

// TestUnavailable checks that what the engines of .cu files lack has a hint.
func TestUnavailable(t *testing.T) {
	for name := range Names() {
		r := Lookup(name)
		if r.IrGLOnly || r.Kind != Func {
			continue
		}
		if lacks := r.Host && !r.Available(false, true) || r.Device && !r.Available(false, false); lacks != (r.Instead != "") {
			t.Errorf("%s: an engine lacks it: %v, and the hint is %q", name, lacks, r.Instead)
		}
	}
}

// TestFloatForms checks that sinf and its like are as exact as sin, and have one
// form: the float one.
func TestFloatForms(t *testing.T) {
	n := 0
	for name := range Names() {
		r, f := Lookup(name), Lookup(name+"f")
		if r.Rule != MathCall || f == nil {
			continue
		}
		n++
		if f.Inexact != r.Inexact || f.Effects != r.Effects || f.Engines != r.Engines {
			t.Errorf("%s and %s differ", r.Name, f.Name)
		}
		if len(f.Forms) != 1 || f.Forms[0] != r.Forms[0] || !strings.Contains(f.Forms[0], "f") {
			t.Errorf("%s has the forms %v", f.Name, f.Forms)
		}
	}
	if n < 50 {
		t.Errorf("only %d functions have a float form", n)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Lookup("__double2float_rz")
	}
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		all := make(map[string]slot, 1024)
		for i, t := range tables {
			for j := range t {
				t[j].each(func(name string, last bool) { all[name] = slot{uint16(i), uint16(j), last} })
			}
		}
	}
}
