package headers

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/builtin"
	"irgl/internal/golden"
)

const license = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"

// each calls f for every header.
func each(t *testing.T, f func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(FS(), name)
		f(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLicense checks that every header says under which license it becomes a part of
// users' programs.
func TestLicense(t *testing.T) {
	n := 0
	each(t, func(name, text string) {
		n++
		if !strings.HasPrefix(text, license) {
			t.Errorf("%s does not begin with its license", name)
		}
	})
	if n < 20 {
		t.Errorf("only %d headers", n)
	}
}

// letters are the types of package builtin's notation as C++ writes them.
var letters = map[byte]string{
	'v': "void", 'b': "bool", 'c': "char", 'i': "int", 'u': "unsigned int", 'l': "long", 'm': "unsigned long",
	'L': "long long", 'U': "unsigned long long", 'f': "float", 'd': "double", 'a': "signed char", 'h': "unsigned char",
	's': "short", 't': "unsigned short", 'D': "dim3", 'K': "uint3",
}

// cxxType returns a type of the notation, and what follows it.
func cxxType(s string) (string, string) {
	switch s[0] {
	case '*':
		t, rest := cxxType(s[1:])
		return strings.TrimSuffix(t, "*") + map[bool]string{true: "**", false: " *"}[strings.HasSuffix(t, "*")], rest
	case '#':
		t, rest := cxxType(s[1:])
		return "const " + t + " *", rest
	}
	return letters[s[0]], s[1:]
}

// prototype returns a form of the table as a declaration in C++; "" if it has a type that
// device code does not have.
func prototype(name, form string) string {
	result, rest := cxxType(form)
	var params []string
	for p := range strings.SplitSeq(strings.Trim(rest, "()"), ",") {
		switch p {
		case "":
		case "...":
			params = append(params, p)
		default:
			t, _ := cxxType(p)
			if strings.HasPrefix(t, " ") || t == "" {
				return ""
			}
			params = append(params, t)
		}
	}
	sep := " "
	if strings.HasSuffix(result, "*") {
		sep = ""
	}
	return fmt.Sprintf("__device__ %s%s%s(%s) __attribute__((irgl_builtin(%q)));\n", result, sep, name, strings.Join(params, ", "), name)
}

// own are the builtins that the prelude declares itself, since C++ knows more of them.
var own = map[string]bool{"assert": true, "dim3": true, "true": true, "false": true}

// TestBuiltins checks that irgl/builtins.h declares the builtins of device code.
func TestBuiltins(t *testing.T) {
	var b strings.Builder
	b.WriteString(license + "// The builtins of device code. Written from the table of package builtin by its test.\n#pragma once\n\n")
	for name := range builtin.Names() {
		r := builtin.Lookup(name)
		if !r.Device || r.IrGLOnly || own[name] {
			continue
		}
		switch {
		case r.Kind == builtin.Var:
			of, _ := cxxType(r.Of)
			fmt.Fprintf(&b, "extern const __device__ %s %s __attribute__((irgl_builtin(%q)));\n", of, name, name)
		case r.Kind == builtin.Func && r.Rule == builtin.CtorCall && len(r.Forms) == 0:
			b.WriteString(maker(name))
		case r.Kind == builtin.Func:
			for _, form := range r.Forms {
				b.WriteString(prototype(name, form))
			}
		}
	}
	golden.Check(t, filepath.Join("include", "irgl", "builtins.h"), []byte(b.String()))
}

// maker returns the declaration of a function that makes a vector.
func maker(name string) string {
	vector := strings.TrimPrefix(name, "make_")
	n := int(vector[len(vector)-1] - '0')
	elem := map[string]string{"uchar": "unsigned char", "char": "signed char", "ushort": "unsigned short", "uint": "unsigned int",
		"ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long"}[vector[:len(vector)-1]]
	if elem == "" {
		elem = vector[:len(vector)-1]
	}
	params := strings.TrimSuffix(strings.Repeat(elem+", ", n), ", ")
	return fmt.Sprintf("__device__ %s %s(%s) __attribute__((irgl_builtin(%q)));\n", vector, name, params, name)
}

// TestGxx has g++ read each header, with CUDA's qualifiers defined away and namespace std
// under another name.
func TestGxx(t *testing.T) {
	gxx, err := exec.LookPath("g++")
	if err != nil || testing.Short() {
		t.Skip("needs g++")
	}
	dir := t.TempDir()
	const shim = "#define __device__\n#define __host__\n#define __global__\n#define __forceinline__ inline\n#define irgl_builtin(x) unused\n#define std irgl_std\n#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"\n"
	each(t, func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	var all strings.Builder
	all.WriteString(shim + "#include <" + Prelude + ">\n")
	each(t, func(name, _ string) { fmt.Fprintf(&all, "#include <%s>\n", name) })
	main := filepath.Join(dir, "main.cc")
	if err := os.WriteFile(main, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(gxx, "-std=c++17", "-fsyntax-only", "-fno-builtin", "-nostdinc", "-nostdinc++", "-w", "-fpermissive", "-I", dir, main)
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.SplitAfterN(string(out), "\n", 30)
		t.Errorf("g++: %v\n%s", err, strings.Join(lines[:min(29, len(lines))], ""))
	}
}
