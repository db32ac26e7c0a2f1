package cpp

import "irgl/internal/source"

// The codes of the diagnostics of this package. Each is documented by its smallest program.
const (
	// A byte that begins no token: int a@;
	CodeCharacter source.Code = "S0001"
	// A comment without an end: /* ...
	CodeComment source.Code = "S0002"
	// A string or character constant that does not end on its line: "abc
	CodeQuote source.Code = "S0003"
	// A malformed directive: #define 1
	CodeMalformed source.Code = "S0021"
	// An unknown directive; CUDA: #foo
	CodeUnknownDirective source.Code = "S0022"
	// An include that is not found or not allowed; CUDA: #include "a.h"
	CodeInclude source.Code = "S0023"
	// Conditional directives that do not pair; CUDA: #endif
	CodeConditional source.Code = "S0024"
	// A #error directive that is reached; CUDA: #error no
	CodeErrorDirective source.Code = "S0025"
	// A malformed condition of #if; CUDA: #if 1 +
	CodeCondition source.Code = "S0026"
	// Wrong arguments of a macro; CUDA: #define F(x) x
	// followed by int a = F(1, 2);
	CodeMacroArgs source.Code = "S0027"
	// A macro defined again and differently (a warning); CUDA: #define A 1
	// followed by #define A 2
	CodeRedefined source.Code = "S0028"
	// A macro expansion beyond the limits; CUDA: twenty macros, each naming
	// the next one twice
	CodeExpansion source.Code = "S0029"
	// An operator # or ## that gives no token; CUDA: #define F(x) x ## +
	CodePaste source.Code = "S0030"
	// A pragma that is ignored (a warning): #pragma omp parallel for
	CodePragma source.Code = "S0031"
)
