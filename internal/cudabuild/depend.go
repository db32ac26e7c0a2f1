package cudabuild

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// This file has the dependencies for make that the host's preprocessor writes. Our own headers are left
// out: they are in the cache, which may be gone when make looks for them.

// dependencies returns the flags that write the dependencies of a source for make: beside
// the object and about it, unless the command line says otherwise.
func (b *builder) dependencies(object string) []string {
	d := b.opts.Depend
	if len(d) == 0 {
		return nil
	}
	if b.opts.Mode != Object {
		object = b.opts.output(object, "")
	}
	d = slices.Clone(d)
	if !slices.Contains(d, "-MF") {
		d = append(d, "-MF", strings.TrimSuffix(object, filepath.Ext(object))+".d")
	}
	if !slices.Contains(d, "-MT") && !slices.Contains(d, "-MQ") {
		d = append(d, "-MQ", object) // a name, which may need quoting for make
	}
	return d
}

// preprocess writes what the host's preprocessor makes of a source.
func (b *builder) preprocess(path, out string, flags ...string) error {
	args := []string{"-E", "-x", "c++"}
	args = append(args, b.language()...)
	args = append(args, b.runtime.flags()...)
	args = append(args, b.macros()...)
	args = append(args, "-include", "cuda_runtime.h", path)
	return b.withDependencies(args, flags, out)
}

// withDependencies runs the host's compiler with the flags of dependencies; out is its output, "" for none
// or for standard output.
func (b *builder) withDependencies(args, flags []string, out string) error {
	list := "" // the file of the dependencies
	if i := slices.Index(flags, "-MF"); i >= 0 && i+1 < len(flags) {
		list = flags[i+1]
	} else if slices.Contains(flags, "-M") || slices.Contains(flags, "-MM") { // they are the output
		if list = out; list == "" || list == "-" {
			list = filepath.Join(b.dir, "dependencies")
			flags = append(slices.Clone(flags), "-MF", list)
		}
	}
	args = append(args, flags...)
	if out != "" {
		args = append(args, "-o", out)
	}
	if err := b.run(args...); err != nil || list == "" || b.opts.DryRun {
		return err
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	kept := withoutFolder(string(text), b.runtime.include)
	if strings.HasPrefix(list, b.dir) {
		_, err = fmt.Fprint(b.stdout, kept)
		return err
	}
	return os.WriteFile(list, []byte(kept), 0o666)
}

// withoutFolder returns the rules of make in text without the files in a folder.
func withoutFolder(text, folder string) string {
	prefix := strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$").Replace(folder) + "/"
	var out strings.Builder
	for rule := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		names := makeWord().FindAllString(rule, -1)
		if len(names) > 0 && strings.HasPrefix(names[0], prefix) { // of -MP
			continue
		}
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, prefix) })
		out.WriteString(strings.Join(names, " ") + "\n")
	}
	return out.String()
}

// makeWord is a word of a makefile, in which \ quotes a blank.
var makeWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\\.|[^\\\s])+`) })

// say prints what irgl does between the commands of the host's compiler, if they are printed.
func (b *builder) say(format string, args ...any) {
	if b.opts.Verbose || b.opts.DryRun {
		fmt.Fprintf(b.stderr, "# "+format+"\n", args...)
	}
}
