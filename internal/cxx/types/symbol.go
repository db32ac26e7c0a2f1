package types

// A Symbol is a function or variable as its mangled name says it.
type Symbol struct {
	Kind  SymbolKind
	Name  string // of a literal operator the suffix; of an operator its sign, "()" and "new[]" too
	Scope Scope
	// Type is the function's type, or the variable's. Of an instance of a function
	// template it is the template's: the pattern, with its parameters.
	Type Type
	// Args are the arguments of a template's instance: of a function or variable, not
	// those of the class that it is a member of.
	Args     []Arg
	Template bool // an instance of a template, perhaps with no Args
	// Target is the type that a conversion operator converts to, as declared.
	Target Type
	// Number is the place of a static local among those of its name in its function, from 0.
	Number int
	// External is set for extern "C": the name is the symbol.
	External bool
	// Internal is set for what a namespace declares static, or const without extern: g++
	// marks the name. What is in an unnamed namespace needs no mark.
	Internal bool
	// Unary is set for an operator of one operand, which distinguishes - * & + from the
	// binary ones.
	Unary bool
}

// A SymbolKind is what a symbol is of.
type SymbolKind uint8

// The kinds of symbols.
const (
	FuncSymbol SymbolKind = iota
	VarSymbol
	ConstructorSymbol
	DestructorSymbol
	OperatorSymbol
	ConversionSymbol // operator T
	LiteralSymbol    // operator""_x
)

// MangledName returns the name of a data member, as pointers to it are template arguments.
func (f *Field) MangledName() string { return Mangle(f.symbol()) }

func (f *Field) symbol() *Symbol {
	return &Symbol{Kind: VarSymbol, Name: f.Name, Scope: f.Class, Type: f.Type}
}
