package syntax

import "irgl/internal/cpp"

// The tokens of IrGL's directives, beside those of package cpp.
const (
	tokDefine  = cpp.FirstFree + iota // #define; the rest of the line and a tokLineEnd follow
	tokLineEnd                        // the end of a #define line
)

// describe returns the token as an error message names it.
func describe(t *cpp.Token) string {
	switch t.Kind {
	case tokDefine:
		return "#define"
	case tokLineEnd:
		return "the end of the line"
	}
	return t.Describe()
}

// isTypeWord reports whether s is one of the keywords that a type specifier is made of.
func isTypeWord(s string) bool {
	switch s {
	case "void", "bool", "_Bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
		"__signed__", "__int64", "_Complex", "_Imaginary":
		return true
	}
	return false
}

// isDeclWord reports whether s is one of the other keywords that may begin a declaration.
func isDeclWord(s string) bool {
	switch s {
	case "struct", "union", "enum", "const", "volatile", "constexpr", "typedef", "extern", "static", "inline",
		"register", "auto", "__inline__", "__inline", "__const__", "__volatile__", "__restrict__", "__restrict", "restrict", "__global__",
		"__device__", "__host__", "__shared__", "__constant__", "__managed__", "__forceinline__", "__noinline__",
		"__launch_bounds__", "__align__", "__attribute__", "__grid_constant__", "__cluster_dims__", "__extension__", "alignas", "_Alignas":
		return true
	}
	return false
}

// isStmtWord reports whether s is one of the keywords that begin a statement of their own.
func isStmtWord(s string) bool {
	switch s {
	case "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "goto":
		return true
	}
	return false
}

// isCxxWord reports whether s is one of the keywords of C++ that no program may use: neither for what
// they mean there, nor as names, since the .cu output is compiled as C++.
func isCxxWord(s string) bool {
	switch s {
	case "alignof", "and", "and_eq", "bitand", "bitor", "catch", "class", "compl", "concept", "const_cast", "consteval",
		"constinit", "co_await", "co_return", "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend",
		"mutable", "namespace", "new", "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private", "protected", "public",
		"reinterpret_cast", "requires", "static_assert", "_Static_assert", "static_cast", "template", "this", "thread_local", "throw",
		"try", "typeid", "typename", "typeof", "__typeof__", "using", "virtual", "wchar_t", "xor", "xor_eq", "_Generic", "_Atomic":
		return true
	}
	return false
}

// isBuiltinType reports whether name is a type that CUDA programs have without
// declaring it: one of the standard C headers or of CUDA's own.
func isBuiltinType(name string) bool {
	switch name {
	case "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "intptr_t", "uintptr_t",
		"intmax_t", "uintmax_t", "size_t", "ssize_t", "ptrdiff_t", "uint", "ulong", "ushort", "uchar", "FILE", "time_t", "clock_t",
		"va_list", "dim3", "cudaError_t", "cudaStream_t", "cudaEvent_t", "cudaDeviceProp", "cudaMemcpyKind", "cudaFuncAttributes", "cudaLaunchConfig_t",
		"cudaGraph_t", "cudaGraphExec_t", "cudaTextureObject_t", "curandState":
		return true
	}
	last := len(name) - 1
	if last < 0 || name[last] < '1' || name[last] > '4' {
		return false
	}
	switch name[:last] {
	case "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double":
		return true // a vector
	}
	return false
}
