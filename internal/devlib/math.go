package devlib

import (
	"embed"
	"strings"
	"sync"

	"irgl/internal/source"
	"irgl/syntax"
)

// MathPrefix begins the names of the functions of <math.h>: irgl_expf.
const MathPrefix = "irgl_"

//go:embed math/*.cu
var mathFiles embed.FS

// mathNames finds the functions of the mathematical library without parsing
// it, so that a program that uses none does not pay for it.
var mathNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, f := range mathSources() {
		for line := range strings.Lines(string(f.Content)) {
			if !strings.Contains(line, "__device__") || !strings.HasSuffix(line, "{\n") {
				continue
			}
			before, _, _ := strings.Cut(line, "(")
			names[before[strings.LastIndexByte(before, ' ')+1:]] = true
		}
	}
	return names
})

// mathOrder lists the library's files so that each uses only those before it.
const mathOrder = "common exp_float exp trig_float trig hyperbolic_float hyperbolic error parts_float parts"

// mathSources returns the library's files in order.
func mathSources() []*source.File {
	var files []*source.File
	for name := range strings.FieldsSeq(mathOrder) {
		text, err := mathFiles.ReadFile("math/" + name + ".cu")
		if err != nil {
			continue // the list is right: a test counts the files
		}
		files = append(files, source.NewFile("devlib/math/"+name+".cu", text))
	}
	return files
}

// mathLibrary parses the library, once.
var mathLibrary = sync.OnceValues(func() (*Library, error) {
	lib := &Library{index: map[string]int{}}
	var diags source.List
	for _, f := range mathSources() {
		lib.decls = append(lib.decls, syntax.Parse(f, syntax.CUDA, &diags).Decls...)
	}
	if err := diags.Err(); err != nil {
		return nil, err
	}
	lib.link()
	return lib, nil
})

// HasMath reports whether the mathematical library declares the function name,
// such as irgl_expf.
func HasMath(name string) bool { return mathNames()[name] }

// SelectMath is [Library.Select] on the mathematical library. An error means
// that its sources and the parser disagree.
func SelectMath(names ...string) ([]syntax.Decl, error) {
	lib, err := mathLibrary()
	if err != nil {
		return nil, err
	}
	return lib.Select(names...), nil
}
