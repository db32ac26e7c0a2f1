package sema

import "irgl/internal/source"

// The diagnostics of this package, each with the smallest program that produces it.
// Codes are only appended and never reused.
const (
	// A name that nothing declares.
	//	__global__ void k() { x; }
	codeUndeclared source.Code = "XS001"
	// A name that is declared twice as different things.
	//	__global__ void k() { int a; int a; }
	codeRedefined source.Code = "XS002"
	// A name that should be a type and is not.
	//	template <class T> struct S { typename T::x y; }; struct A { static const int x = 1; }; __global__ void k(S<A> s) {}
	codeNotType source.Code = "XS003"
	// A name in front of :: that has no members.
	//	typedef int I; __global__ void k() { I::x; }
	codeNotScope source.Code = "XS004"
	// A type or namespace where a value is expected.
	//	struct S {}; __global__ void k() { 1 + S; }
	codeNotValue source.Code = "XS005"
	// A member that a class does not have.
	//	struct S {}; __global__ void k(S s) { s.x; }
	codeNoMember source.Code = "XS006"
	// An object of a type that is not complete.
	//	struct S; __global__ void k() { S s; }
	codeIncomplete source.Code = "XS007"
	// A type that cannot be formed.
	//	__global__ void k() { void v; }
	codeBadType source.Code = "XS008"
	// An array length that is not a positive integer constant.
	//	__global__ void k() { int a[-1]; }
	codeArrayLen source.Code = "XS009"
	// A value whose type cannot become the type that is wanted.
	//	__global__ void k() { int *p = 1.5; }
	codeConvert source.Code = "XS010"
	// A call that no function fits.
	//	__device__ void f(int); __global__ void k() { f(); }
	codeNoMatch source.Code = "XS011"
	// A call or conversion that several functions fit equally well.
	//	__device__ void f(int); __device__ void f(float); __global__ void k() { f(1.0); }
	codeAmbiguous source.Code = "XS012"
	// Operands that an operator does not take.
	//	__global__ void k(int *p) { p * 2; }
	codeOperands source.Code = "XS013"
	// An operand that must be an lvalue.
	//	__global__ void k() { 1 = 2; }
	codeNotLvalue source.Code = "XS014"
	// A change of something const.
	//	__global__ void k() { const int i = 1; i = 2; }
	codeConst source.Code = "XS015"
	// A value that must be a constant and is not.
	//	__global__ void k(int n) { int a[n]; }
	codeNotConstant source.Code = "XS016"
	// A constexpr variable without a constant value.
	//	__global__ void k(int n) { constexpr int m = n; }
	codeConstexpr source.Code = "XS017"
	// A static assertion that fails.
	//	__global__ void k() { static_assert(1 == 2, "no"); }
	codeStaticAssert source.Code = "XS018"
	// A conversion of a constant in a list that loses its value.
	//	__global__ void k() { char c{300}; }
	codeNarrowing source.Code = "XS019"
	// More initialisers than there are elements.
	//	__global__ void k() { int a[1] = {1, 2}; }
	codeExcessInit source.Code = "XS020"
	// A reference or constant without an initialiser.
	//	__global__ void k() { int &r; }
	codeUninitialized source.Code = "XS021"
	// An array that is not initialised by a list or string.
	//	__global__ void k(int i) { int a[2] = i; }
	codeArrayInit source.Code = "XS022"
	// A list where none can be.
	//	__global__ void k(int *p) { p[{1}]; }
	codeList source.Code = "XS023"
	// A designator that does not fit.
	//	struct S { int a, b; }; __global__ void k() { S s = {.b = 1, .a = 2}; }
	codeDesignator source.Code = "XS024"
	// auto that cannot be deduced.
	//	__global__ void k() { auto x; }
	codeAuto source.Code = "XS025"
	// An assignment to an array.
	//	__global__ void k() { int a[2], b[2]; a = b; }
	codeAssign source.Code = "XS026"
	// A call of something that is no function.
	//	__global__ void k(int i) { i(); }
	codeNotFunction source.Code = "XS027"
	// A use of a private or protected member.
	//	class C { int x; }; __global__ void k(C c) { c.x; }
	codeAccess source.Code = "XS028"
	// A call of a deleted function.
	//	__device__ void f() = delete; __global__ void k() { f(); }
	codeDeleted source.Code = "XS029"
	// A use of this, or of a member, without an object.
	//	struct S { int x; static __device__ int f() { return x; } }; __global__ void k() { S::f(); }
	codeThis source.Code = "XS030"
	// A member function that is named and not called.
	//	struct S { __device__ void f(); }; __global__ void k(S s) { s.f; }
	codeMethodValue source.Code = "XS031"
	// An overloaded function where no target type chooses one.
	//	__device__ void f(int); __device__ void f(); __global__ void k() { auto p = f; }
	codeOverloadContext source.Code = "XS032"
	// A member that two base classes have.
	//	struct A { int x; }; struct B { int x; }; struct C : A, B {}; __global__ void k(C c) { c.x; }
	codeAmbiguousMember source.Code = "XS033"
	// A base class that cannot be one.
	//	typedef int I; struct S : I {}; __global__ void k(S s) {}
	codeBase source.Code = "XS034"
	// A field that cannot be one.
	//	struct S { void v; }; __global__ void k(S s) {}
	codeField source.Code = "XS035"
	// A member initialiser that initialises nothing.
	//	struct A {}; struct S { __device__ S() : A() {} }; __global__ void k() { S s; }
	codeMemberInit source.Code = "XS036"
	// A class that cannot be laid out.
	codeClass source.Code = "XS037"
	// Something that is defined in terms of itself.
	//	__global__ void k() { auto x = x; }
	codeCycle source.Code = "XS038"
	// An enumeration based on something else than an integer.
	//	enum E : float { a }; __global__ void k() { a; }
	codeEnum source.Code = "XS039"
	// An alignment that is no power of 2.
	//	__global__ void k() { alignas(3) int i; }
	codeAlign source.Code = "XS040"
	// A template with wrong arguments.
	//	template <class T> struct S {}; __global__ void k() { S<1> s; }
	codeTemplateArgs source.Code = "XS041"
	// Template arguments for something that is no template.
	//	struct S {}; __global__ void k(S<int> s) {}
	codeNotTemplate source.Code = "XS042"
	// A specialisation or explicit instantiation that fits no template.
	//	template <class T> __global__ void k(T t) {} template __global__ void k<int>(float);
	codeSpecialization source.Code = "XS043"
	// A parameter pack that is not expanded, or an expansion without one.
	//	template <class... T> __global__ void k(T... t) { t; } template __global__ void k<int>(int);
	codePack source.Code = "XS044"
	// Templates that are instantiated without end.
	//	template <int N> struct S { static const int v = S<N + 1>::v; }; __global__ void k() { S<0>::v; }
	codeDepth source.Code = "XS045"
	// A call of a host function from device code, or of a kernel.
	//	void h(); __global__ void k() { h(); }
	codeHostCall source.Code = "XS046"
	// A use of a host variable in device code.
	//	int h; __global__ void k() { h = 1; }
	codeHostVar source.Code = "XS047"
	// A name of the host's whose declaration could not be read.
	codeOpaque source.Code = "XS048"
	// A kernel that is declared as it cannot be.
	//	__global__ int k() { return 1; }
	codeKernel source.Code = "XS049"
	// Launch bounds that no launch keeps (a warning), and sizes of clusters that are negative.
	//	__global__ void __cluster_dims__(-1) k() {}
	codeLaunchBounds source.Code = "XS050"
	// A variable in a memory that it cannot be in.
	//	__global__ void k() { __shared__ int s = 1; }
	codeMemory source.Code = "XS051"
	// A variable of device memory whose initial value is computed.
	//	__device__ int f(); __device__ int v = f(); __global__ void k() { v; }
	codeDynamicInit source.Code = "XS052"
	// A part of C++ that device code does not have.
	//	__global__ void k() { throw 1; }
	codeRefused source.Code = "XS053"
	// A function or variable without a definition.
	//	__device__ void f(); __global__ void k() { f(); }
	codeUndefined source.Code = "XS054"
	// A return that does not fit the function's result.
	//	__global__ void k() { return 1; }
	codeReturn source.Code = "XS055"
	// A break, continue, case or default outside of what it belongs to.
	//	__global__ void k() { break; }
	codeJump source.Code = "XS056"
	// A label that is not defined, or defined twice.
	//	__global__ void k() { goto a; }
	codeLabel source.Code = "XS057"
	// A switch or case that is wrong.
	//	__global__ void k(int i) { switch (i) { case 1: case 1:; } }
	codeSwitch source.Code = "XS058"
	// A cast between types that no cast converts.
	//	struct S {}; __global__ void k(int i) { static_cast<int *>(i); }
	codeCast source.Code = "XS059"
	// A variable that a lambda cannot capture, or does not.
	//	__global__ void k(int i) { auto f = [] { return i; }; }
	codeCapture source.Code = "XS060"
	// A range that has no begin and end.
	//	__global__ void k(int i) { for (int x : i); }
	codeRange source.Code = "XS061"
	// A structured binding that does not fit.
	//	__global__ void k(int i) { auto [a, b] = i; }
	codeBinding source.Code = "XS062"
	// A type trait with wrong arguments.
	//	__global__ void k() { typedef __underlying_type(int) T; T t; }
	codeTrait source.Code = "XS063"
	// A literal beyond all types.
	//	__global__ void k() { 99999999999999999999; }
	codeLiteral source.Code = "XS064"
	// A floating literal beyond its type (a warning).
	//	__global__ void k() { float f = 1e99f; }
	codeLiteralRange source.Code = "XS065"
	// A shift by a constant that is not less than the width (a warning).
	//	__global__ void k(int i) { i << 40; }
	codeShift source.Code = "XS066"
	// A division by the constant 0 (a warning).
	//	__global__ void k(int i) { i / 0; }
	codeDivision source.Code = "XS067"
	// A reference to a local variable that is returned (a warning).
	//	__device__ int &f() { int i; return i; } __global__ void k() { f(); }
	codeDangling source.Code = "XS068"
	// A use of something deprecated (a warning).
	//	[[deprecated]] __device__ void f() {} __global__ void k() { f(); }
	codeDeprecated source.Code = "XS069"
	// An object of a class that is not trivial for the ... of a function.
	codeVariadic source.Code = "XS070"
	// An explicit constructor in copy initialisation.
	//	struct S { explicit __device__ S(int, int) {} }; __global__ void k() { S s = {1, 2}; }
	codeExplicit source.Code = "XS071"
	// An operator function without an operand of class or enumeration type.
	//	__device__ int operator+(int, int); __global__ void k() { operator+(1, 2); }
	codeOperator source.Code = "XS072"
	// A declaration or expression in a place where it cannot be.
	codeContext source.Code = "XS073"
	// An instance that is asked for and that no kernel has.
	codeInstance source.Code = "XS074"
	// More errors than are reported.
	codeTooMany source.Code = "XS075"
	// A conversion of what is no constant in a list, which may lose a value (a warning).
	//	__global__ void k(int i) { char c{i}; }
	codeNarrows source.Code = "XS076"
	// A kernel's symbol that would not be the host's.
	//	template <int N> struct V {}; template <class T> __global__ void k(V<__is_empty(T) + 1>) {} __global__ void h() {} template __global__ void k<int>(V<1>);
	codeSymbol source.Code = "XS077"
	// A launch whose instance of a kernel is not known (a warning).
	//	template <class T> __global__ void k(T) {} int main() { std::string s; k<<<1, 1>>>(s); }
	codeUnknownInstance source.Code = "XS078"
	// A jump past the initialisation of a variable whose scope it enters.
	//	__global__ void k(int *p) { switch (*p) { case 1: int z = 3; case 2: p[1] = z; } }
	codeBypass source.Code = "XS079"
	// An assignment as a condition (a warning).
	//	__global__ void k(int *p, int a) { if (a = *p) *p = 1; }
	codeAssignCondition source.Code = "XS080"
	// A read of a variable that has no value (a warning).
	//	__global__ void k(int *p) { int y; *p = y; }
	codeUninitRead source.Code = "XS081"
	// A local variable without a use (a warning of -Wall).
	//	__global__ void k() { int y = 1; }
	codeUnused source.Code = "XS082"
	// A comparison of an unsigned value with 0 that has one result (a warning of -Wextra).
	//	__global__ void k(unsigned *p) { if (*p >= 0) *p = 1; }
	codeUnsignedCompare source.Code = "XS083"
	// A variable of the device that host code reads or writes directly (a warning).
	//	__device__ int x; int main() { return x; }
	codeHostVariable source.Code = "XS084"
	// A dependent name of a type without typename.
	//	template <class T> __device__ void f() { T::I x; } struct S { struct I {}; }; __global__ void k() { f<S>(); }
	codeTypename source.Code = "XS085"
	// A statement that computes a value and does nothing with it (a warning).
	//	__global__ void k(int *p) { p[0] == 1; }
	codeNoEffect source.Code = "XS086"
)
