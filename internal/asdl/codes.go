package asdl

import "irgl/internal/source"

// The codes of the diagnostics of this package. Errors in the C text of
// strings have the codes of package syntax.
const (
	// A text that is not JSON: {"_type": }
	codeJSON source.Code = "J0001"
	// Something that is not a node of the abstract syntax, or one in the wrong
	// place: {"_type": "Modul"}
	codeNode source.Code = "J0002"
	// A field that is missing or has a value of the wrong kind:
	// {"_type": "Module", "stmts": 1}
	codeField source.Code = "J0003"
	// A field that the node does not have:
	// {"_type": "Module", "stmts": [], "smts": []}
	codeUnknownField source.Code = "J0004"
	// A node or field of the report that is not part of this version:
	// {"_type": "Module", "stmts": [{"_type": "CDeclGlobal",
	// "decls": [{"type": "int", "name": "a"}], "parse": false}]}
	codeLater source.Code = "J0005"
	// A string that is not one whole expression, statement, type or comment:
	// {"_type": "Module", "stmts": [{"_type": "CBlock", "stmts": ["int a = (1;"]}]}
	codeFragment source.Code = "J0006"
	// A string that is not a name:
	// {"_type": "Module", "stmts": [{"_type": "Graph", "name": "a b"}]}
	codeName source.Code = "J0007"
	// C text that is not parsed, and does not say what it reads and writes:
	// {"_type": "Module", "stmts": [{"_type": "CBlock", "stmts": ["int a;"], "parse": false}]}
	codeUnparsed source.Code = "J0008"
	// Values nested beyond the limit: [[[[...]]]]
	codeDeep source.Code = "J0009"
	// A field that its node cannot have, or not beside another one:
	// {"_type": "Module", "stmts": [{"_type": "CBlock", "stmts": ["int a;"], "parse": true, "reads": []}]}
	codeTogether source.Code = "J0010"
)
