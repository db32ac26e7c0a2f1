//go:build linux

package cudart

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/builtin"
	"irgl/internal/golden"
)

//go:generate go test -run ^TestGenerated -update .

// letters are the types in the notation of package builtin.
var letters = map[byte]string{
	'v': "void", 'b': "bool", 'c': "char", 'i': "int", 'u': "unsigned int", 'l': "long", 'm': "unsigned long",
	'L': "long long", 'U': "unsigned long long", 'f': "float", 'd': "double", 'a': "signed char", 'h': "unsigned char",
	's': "short", 't': "unsigned short", 'D': "dim3", 'K': "uint3",
}

// ofHost are functions that host code has, too: of the C library, or of irgl_math.h.
var ofHost = []string{"clock", "min", "max", "rsqrt", "rsqrtf", "rcbrt", "rcbrtf"}

// TestGeneratedDeviceFunctions makes the declarations of device functions that host code
// may name: -update writes them.
func TestGeneratedDeviceFunctions(t *testing.T) {
	var b strings.Builder
	b.WriteString(`// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated from package builtin. Device functions, for the bodies of lambdas and of functions for
// both sides that the host's compiler reads: called on the host, they trap.
#ifndef IRGL_DEVICE_FUNCTIONS_LIST_H
#define IRGL_DEVICE_FUNCTIONS_LIST_H

#include "vector_types.h"

#define IRGL_D(type, name, parameters)                                                             \
  __attribute__((noinline, warning("calling a __device__ function from a __host__ function is not allowed"))) \
  inline type name parameters {                                                                    \
    __builtin_trap();                                                                              \
  }
`)
	n := 0
	for name := range builtin.Names() {
		r := builtin.Lookup(name)
		if r.Kind != builtin.Func || r.IrGLOnly || r.Rule == builtin.PrintfCall || slices.Contains(ofHost, name) {
			continue
		}
		intrinsic := strings.HasPrefix(name, "__")
		if r.Host && !intrinsic || strings.HasPrefix(name, "__builtin_") {
			continue // host code has it from the C library, or from the compiler
		}
		seen := map[string]bool{}
		for _, form := range slices.Concat(r.Forms, r.CUDAForms) {
			result, params, ok := signature(form)
			if !ok || seen[params] {
				continue
			}
			seen[params] = true
			n++
			fmt.Fprintf(&b, "IRGL_D(%s, %s, (%s))\n", result, name, params)
		}
	}
	b.WriteString("#undef IRGL_D\n\n#endif\n")
	if n < 300 {
		t.Errorf("only %d functions", n)
	}
	golden.File(t, "include/irgl_device_functions.h", b.String())
}

// signature returns a form's result and parameters as C++ has them.
func signature(form string) (result, params string, ok bool) {
	result, rest, ok := oneType(form)
	if !ok || !strings.HasPrefix(rest, "(") {
		return "", "", false
	}
	rest = strings.TrimSuffix(rest[1:], ")")
	var list []string
	for rest != "" {
		var p string
		if p, rest, ok = oneType(strings.TrimPrefix(rest, ",")); !ok {
			return "", "", false
		}
		list = append(list, p)
	}
	return result, strings.Join(list, ", "), true
}

// oneType returns the type at the beginning of a form, and what is behind it.
func oneType(form string) (name, rest string, ok bool) {
	switch {
	case form == "":
		return "", "", false
	case form[0] == '*':
		name, rest, ok = oneType(form[1:])
		return name + " *", rest, ok
	case form[0] == '#':
		name, rest, ok = oneType(form[1:])
		return "const " + name + " *", rest, ok
	case form[0] == '{':
		name, rest, ok = strings.Cut(form[1:], "}")
		return name, rest, ok
	}
	name, ok = letters[form[0]]
	return name, form[1:], ok
}

// TestDeviceFunctions: the list compiles, with what the C library declares.
func TestDeviceFunctions(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the C++ compilers")
	}
	for _, compiler := range compilers(t) {
		for _, std := range []string{"-std=c++11", "-std=c++17", "-std=c++20"} {
			if err := command(compiler, std, "-Wall", "-Wextra", "-Werror", "-Iinclude", "-idirafter", "../cxx/headers/include", "-fsyntax-only", "-x", "c++", "testdata/headers.cpp"); err != nil {
				t.Error(err)
			}
		}
	}
	if all, err := filepath.Glob("include/*.h"); err != nil || len(all) < 20 {
		t.Errorf("%d headers, %v", len(all), err)
	}
}
