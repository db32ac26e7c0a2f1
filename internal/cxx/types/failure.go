package types

// A failure is why deduction found no arguments. It is worded only when it is asked for.
type failure struct {
	kind failureKind
	name string
	a, b Arg
	p, x Type
}

type failureKind uint8

const (
	notInferred failureKind = iota
	conflict
	conflictPack
	mismatchTypes
	mismatchArgs
	mismatchLists
	tooManyArgs
	badExplicit
	noOverload
)

func (s *deducer) mismatch(p, x Type) error { return &failure{kind: mismatchTypes, p: p, x: x} }

// Error returns the reason in clang's words.
func (f *failure) Error() string {
	switch f.kind {
	case notInferred:
		return "couldn't infer template argument '" + f.name + "'"
	case conflict:
		what := "types"
		switch f.a.Kind {
		case ValueArg, DependentValue:
			what = "values"
		case TemplateArg:
			what = "templates"
		}
		if what == "values" {
			return "deduced conflicting values for parameter '" + f.name + "' (" + f.a.String() + " vs. " + f.b.String() + ")"
		}
		return "deduced conflicting " + what + " for parameter '" + f.name + "' ('" + f.a.String() + "' vs. '" + f.b.String() + "')"
	case conflictPack:
		return "deduced packs of different lengths for parameter '" + f.name + "' (" + ArgList(f.a.Pack) + " vs. " + ArgList(f.b.Pack) + ")"
	case mismatchTypes:
		return "could not match '" + f.p.String() + "' against '" + f.x.String() + "'"
	case mismatchArgs, mismatchLists:
		return "could not match '" + f.a.String() + "' against '" + f.b.String() + "'"
	case tooManyArgs:
		return "too many template arguments"
	case badExplicit:
		return "invalid explicitly-specified argument for template parameter '" + f.name + "'"
	}
	return "no function of the overload set matches '" + f.p.String() + "'"
}
