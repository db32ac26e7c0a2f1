package emit

import "irgl/internal/source"

// The codes of this package's diagnostics, each with a small program that produces it by --granularity=block
// --default-stream=per-thread. The parent is __global__ void parent(int *p) { child<<<1, 1>>>(p); }.
const (
	codeForm     source.Code = "K0001" // __global__ void child(int *p) { *p = [] { return blockIdx.x; }(); }   a function of which the text can have no other form
	codeUnnamed  source.Code = "K0003" // struct { int n; } one; __global__ void child(int *p, decltype(one) c);   an argument of a launch whose type has no name
	codeRefused  source.Code = "K0004" // template <typename T> __global__ void parent(T *p) { if constexpr (sizeof(T) > 4) p->none(); child<<<1, 1>>>(p); }   a text that would not compile
	codeExpanded source.Code = "K0005" // #define where(i) (where(i)) and __global__ void child(int *p) { *p = where(2); }   a macro that must be taken apart and is there again
)

// hint says what compiles the same program.
const hint = "irgl klap run and irgl cuda build with the same options need no text, and --emit=ptx writes PTX"

// refusal returns the error that something cannot be written.
func refusal(code source.Code, pos, end source.Pos, format string, args ...any) error {
	var list source.List
	list.Errorf(pos, end, code, format, args...).Hint = hint
	return list.Err()
}
