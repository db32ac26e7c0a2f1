package syntax

import "irgl/internal/source"

// The codes of the diagnostics of this package. Each is documented by its
// smallest program; a program without a remark is one of either dialect.
const (
	// A malformed or too large number: int a = 09;
	CodeNumber source.Code = "S0004"
	// A malformed escape or character constant: int a = '\q';
	CodeEscape source.Code = "S0005"
	// A missing token: int a = 1 int b;
	CodeExpected source.Code = "S0006"
	// Something that is not an expression: int a = ;
	CodeExpr source.Code = "S0007"
	// Something that is not a declaration, at file level: 42;
	CodeDecl source.Code = "S0008"
	// A name that is used as a type and is not one: foo a;
	CodeUnknownType source.Code = "S0009"
	// Type specifiers that do not go together: short float a;
	CodeSpecifiers source.Code = "S0010"
	// A construct of C++ that is not C99: class A {};
	CodeCxx source.Code = "S0011"
	// A construct of C that this compiler does not have: long double a;
	CodeUnsupported source.Code = "S0012"
	// Inline assembly that is malformed or where none can be; CUDA: asm("nop");
	CodeAsm source.Code = "S0013"
	// Brackets, operators or statements nested beyond the limit: ((((...))))
	CodeDeep source.Code = "S0014"
	// A statement at file level: if (1) {}
	CodeMisplaced source.Code = "S0015"
	// A malformed launch; CUDA: void f() { k<<<1>>>(); }
	CodeLaunch source.Code = "S0017"
	// An attribute that is ignored (a warning):
	// __attribute__((unused)) int a;
	CodeAttribute source.Code = "S0018"
	// A directive that IrGL does not have; IrGL: #include "a.h"
	CodeDirective source.Code = "S0019"
	// A macro with parameters; IrGL: #define SQUARE(x) ((x) * (x))
	CodeMacroFunc source.Code = "S0020"
	// Something in a Graph or Mesh that is not a property, Requires or Racy; IrGL:
	// Graph g { int a; }
	CodeGraph source.Code = "S0032"
	// A bracket that is never closed: void f() {
	CodeUnclosed source.Code = "S0033"
	// A closing bracket that was never opened: }
	CodeUnopened source.Code = "S0034"
	// A label that is not a statement of a switch, or a goto without a name:
	// void f() { goto 1; }
	CodeLabel source.Code = "S0035"
	// An IrGL statement in CUDA, or a CUDA one in IrGL; IrGL:
	// Host f() { k<<<1, 2>>>(); }
	CodeDialect source.Code = "S0036"
	// A parameter that is neither named nor typed: void f(+);
	CodeParam source.Code = "S0037"
)
