package cudabuild

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/cxx/sema"
)

// An instanceList is what device code is told of the instances of kernel templates that the
// host's code has.
type instanceList struct {
	names    []string          // as C++ writes them; not nil
	symbols  map[string]string // by name; "" where several kernels have it
	closures []sema.Closure
}

// instances returns the instances of templates among the symbols of stubs; the zero list for
// no symbols, where the host's code has not been compiled.
func instances(kernels []string) (instanceList, error) {
	var list instanceList
	if kernels == nil {
		return list, nil
	}
	list.names, list.symbols = []string{}, map[string]string{}
	for _, k := range kernels {
		tree, err := demangle.ToAST(k, demangle.NoParams)
		if err != nil {
			continue // extern "C", which no template is
		}
		if t, ok := tree.(*demangle.Typed); ok {
			tree = t.Name
		}
		name := list.plain(tree)
		if !strings.Contains(name, "<") {
			continue
		}
		if strings.Contains(name, "{lambda") || strings.Contains(name, "{unnamed") || strings.Contains(name, "{default arg") {
			return list, fmt.Errorf("the kernel %s has a type without a name among its arguments, which only the host's code knows; give the lambda the attribute __device__, or use a class with a name", name)
		}
		list.names = append(list.names, name)
		if other, more := list.symbols[name]; more && other != k {
			k = "" // overloads
		}
		list.symbols[name] = k
	}
	return list, nil
}

// plain returns a name as device code looks it up: without the names of unnamed namespaces,
// whose members are seen around them, and with names for extended lambdas.
func (l *instanceList) plain(tree demangle.AST) string {
	tree = replace(tree, func(a demangle.AST) demangle.AST {
		switch a := a.(type) {
		case *demangle.Template:
			if demangle.ASTToString(a.Name) == "irgl::Closure" && len(a.Args) == 4 {
				return l.closure(a)
			}
		case *demangle.Qualified:
			if isUnnamed(a.Scope) {
				return &demangle.Name{Name: l.plain(a.Name)}
			}
			if q, ok := a.Scope.(*demangle.Qualified); ok && isUnnamed(q.Name) {
				return &demangle.Name{Name: l.plain(q.Scope) + "::" + l.plain(a.Name)}
			}
		}
		return nil
	})
	return demangle.ASTToString(tree)
}

// replace returns a tree with some nodes replaced, outermost first.
func replace(tree demangle.AST, by func(demangle.AST) demangle.AST) demangle.AST {
	if x := by(tree); x != nil {
		return x
	}
	// Copy visits the innermost nodes first: those inside of a node that is replaced are kept.
	keep := map[demangle.AST]demangle.AST{}
	inside := map[demangle.AST]bool{}
	tree.Traverse(func(a demangle.AST) bool {
		if inside[a] {
			return false
		}
		if x := by(a); x != nil {
			keep[a] = x
			return false
		}
		return true
	})
	if len(keep) == 0 {
		return tree
	}
	c := tree.Copy(func(a demangle.AST) demangle.AST { return keep[a] }, func(a demangle.AST) bool { return false })
	if c == nil {
		return tree
	}
	return c
}

func isUnnamed(a demangle.AST) bool {
	n, ok := a.(*demangle.Name)
	return ok && n.Name == "(anonymous namespace)"
}

// closure gives an extended lambda, irgl::Closure<Number, Count, Size, Lambda>, a name.
func (l *instanceList) closure(a *demangle.Template) demangle.AST {
	number := func(i int) int {
		text := strings.TrimRight(demangle.ASTToString(a.Args[i]), "ul")
		n, _ := strconv.Atoi(text)
		return n
	}
	lambda, ok := a.Args[3].(*demangle.Qualified)
	if !ok {
		return nil
	}
	scope := lambda.Scope
	if t, ok := scope.(*demangle.Typed); ok {
		scope = t.Name
	}
	c := sema.Closure{In: l.plain(scope), Number: number(0), Count: number(1), Size: int64(number(2))}
	for _, x := range l.closures {
		if x.In == c.In && x.Number == c.Number {
			return &demangle.Name{Name: x.Alias}
		}
	}
	c.Alias = "__irgl_closure_" + strconv.Itoa(len(l.closures))
	l.closures = append(l.closures, c)
	return &demangle.Name{Name: c.Alias}
}
