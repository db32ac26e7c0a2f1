package parse

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// A suite finds included files anywhere in a folder: next to the file that includes them, or
// by the end of their path.
type suite struct {
	root   string
	byName map[string][]string
	files  map[string]*source.File
}

// Open is part of cpp.Includer.
func (s *suite) Open(name string, angled bool, from *source.File) (*source.File, cpp.Found, error) {
	name = filepath.ToSlash(name)
	path := filepath.Join(filepath.Dir(from.Name), name)
	if angled || !exists(path) {
		path = ""
		for _, c := range s.byName[filepath.Base(name)] {
			if strings.HasSuffix(c, "/"+strings.TrimLeft(name, "./")) && (path == "" || common(c, from.Name) > common(path, from.Name)) {
				path = c
			}
		}
	}
	if own := filepath.Join("..", "headers", "include", filepath.FromSlash(name)); path == "" && exists(own) {
		path = own
	}
	if path == "" {
		return nil, cpp.HostOnly, nil
	}
	if f := s.files[path]; f != nil {
		return f, cpp.User, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, cpp.HostOnly, nil
	}
	f := source.NewFile(path, text)
	s.files[path] = f
	return f, cpp.User, nil
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// common returns the length of the prefix that a and b share.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// TestCorpus parses the .cu files of CUDA programs, one suite a folder in $IRGL_CUDA_CORPUS,
// with all bodies of device code. It prints how many have no error from the parser, the first error of
// each other file, and the host's declarations that could not be parsed if
// $IRGL_CUDA_OPAQUE is set. Files that the preprocessor refuses are counted apart.
func TestCorpus(t *testing.T) {
	root := os.Getenv("IRGL_CUDA_CORPUS")
	if root == "" {
		t.Skip("IRGL_CUDA_CORPUS names no folder of CUDA programs")
	}
	suites, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range suites {
		if e.IsDir() && strings.Contains(e.Name(), os.Getenv("IRGL_CUDA_SUITE")) {
			corpusSuite(t, filepath.Join(root, e.Name()))
		}
	}
}

// corpusSuite parses the files of one suite.
func corpusSuite(t *testing.T, root string) {
	s := &suite{root: root, byName: map[string][]string{}, files: map[string]*source.File{}}
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		s.byName[d.Name()] = append(s.byName[d.Name()], path)
		if strings.HasSuffix(path, ".cu") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	good, opaque, lines := 0, 0, 0
	var spent time.Duration
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		diags := new(source.List)
		text = append([]byte("#include <cuda_runtime.h>\n"), text...)
		pre := cpp.Preprocess(source.NewFile(path, text), cpp.Options{Dialect: cpp.CXX, Arch: 900, Includer: s}, diags)
		mine := new(source.List)
		start := time.Now()
		u := Parse(pre, mine, Options{})
		readDevice(u.Decls, os.Getenv("IRGL_CUDA_ALL") != "")
		spent += time.Since(start)
		lines += strings.Count(string(text), "\n")
		if n := opaques(u.Decls); n > 0 {
			opaque++
		}
		mine.Sort()
		want, got := 0, kernels(u.Decls)
		for i := range pre.Tokens {
			if pre.Tokens[i].Word == cpp.KwGlobal {
				want++
			}
		}
		if want != got {
			fmt.Printf("%s: %d of %d kernels\n", path, got, want)
		}
		if mine.Errors() == 0 && want == got {
			good++
			continue
		}
		if mine.Errors() == 0 {
			continue
		}
		d := mine.Diags[0]
		fmt.Println(d.Error())
		if d.Pos.IsValid() {
			fmt.Printf("      %s\n", strings.TrimSpace(d.Pos.File.Line(d.Pos.Line())))
		}
	}
	fmt.Printf("%s: %d of %d files, %d with opaque declarations of the host, %d lines, %v\n", filepath.Base(root), good, len(files), opaque, lines, spent)
}

// kernels counts the declarations of kernels.
func kernels(list []ast.Decl) int {
	n := 0
	for _, d := range list {
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			n += kernels(d.Decls)
		case *ast.LinkageDecl:
			n += kernels(d.Decls)
		case *ast.TemplateDecl:
			n += kernels([]ast.Decl{d.Decl})
		case *ast.InstantiationDecl:
			n += kernels([]ast.Decl{d.Decl})
		case *ast.FriendDecl:
			n += kernels([]ast.Decl{d.Decl})
		case *ast.ClassDecl:
			n += kernels(d.Members)
		case *ast.FuncDecl:
			if d.Specs.Has(ast.Global) {
				n++
			}
		}
	}
	return n
}

// opaques counts, and prints, the declarations that could not be parsed.
func opaques(list []ast.Decl) int {
	n := 0
	for _, d := range list {
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			n += opaques(d.Decls)
		case *ast.LinkageDecl:
			n += opaques(d.Decls)
		case *ast.TemplateDecl:
			n += opaques([]ast.Decl{d.Decl})
		case *ast.ClassDecl:
			n += opaques(d.Members)
		case *ast.OpaqueDecl:
			n++
			if os.Getenv("IRGL_CUDA_OPAQUE") != "" && len(d.Diags) > 0 {
				p := d.Diags[0].Pos
				fmt.Printf("opaque %v: %s\n      %s\n", p, d.Diags[0].Message, strings.TrimSpace(p.File.Line(p.Line())))
			}
		}
	}
	return n
}
