package cpp

import "strings"

// predefined returns the definitions that every text of a dialect has. __CUDACC__ says that the text is
// compiled as CUDA, as clang says too; the versions say which CUDA's builtins there
// are. To C programs __NVCC__ would promise nvcc's pragmas and intrinsics; C++ programs ask by it whether the
// compiler knows __device__ (docs/rationale.md).
func predefined(d Dialect) string {
	if d == C {
		return predefinedAll
	}
	return predefinedAll + predefinedCXX
}

// VersionMacros returns the macros that say which compiler and which CUDA this is. They are the same
// in host code: a condition on them must not give the two halves of a source different layouts.
func VersionMacros() []Define {
	var out []Define
	for line := range strings.Lines(predefinedVersions) {
		f := strings.Fields(line)
		out = append(out, Define{Name: f[1], Value: f[2]})
	}
	return out
}

const predefinedVersions = `#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000
#define __IRGL__ 1
`

const predefinedAll = predefinedVersions + `#define __STDC_HOSTED__ 1
`

// predefinedCXX are the macros of g++ 13 for x86-64 Linux, whose programs and headers nvcc's device pass sees, and
// nvcc's own. Those of instruction sets beyond x86-64's are not defined.
const predefinedCXX = `#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_API_VERSION 13000
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define __GNUC__ 13
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __GNUG__ 13
#define __GXX_ABI_VERSION 1018
#define __GXX_WEAK__ 1
#define __GXX_RTTI 1
#define __EXCEPTIONS 1
#define __DEPRECATED 1
#define __VERSION__ "13.2.0"
#define __STDC__ 1
#define __STDC_UTF_16__ 1
#define __STDC_UTF_32__ 1
#define __STDC_ISO_10646__ 201706L
#define __STDCPP_DEFAULT_NEW_ALIGNMENT__ 16
#define _GNU_SOURCE 1
#define __linux__ 1
#define __linux 1
#define linux 1
#define __gnu_linux__ 1
#define __unix__ 1
#define __unix 1
#define unix 1
#define __ELF__ 1
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __amd64 1
#define __LP64__ 1
#define _LP64 1
#define __SSE__ 1
#define __SSE2__ 1
#define __MMX__ 1
#define __CHAR_BIT__ 8
#define __BYTE_ORDER__ 1234
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __ORDER_PDP_ENDIAN__ 3412
#define __FLOAT_WORD_ORDER__ 1234
#define __BIGGEST_ALIGNMENT__ 16
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_DOUBLE__ 8
#define __SIZEOF_LONG_DOUBLE__ 16
#define __SIZEOF_INT128__ 16
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __SIZEOF_WCHAR_T__ 4
#define __SIZEOF_WINT_T__ 4
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __WCHAR_MAX__ 2147483647
#define __WCHAR_MIN__ (-__WCHAR_MAX__ - 1)
#define __WINT_MAX__ 4294967295U
#define __WINT_MIN__ 0U
#define __SIZE_MAX__ 18446744073709551615UL
#define __PTRDIFF_MAX__ 9223372036854775807L
#define __INTMAX_MAX__ 9223372036854775807L
#define __UINTMAX_MAX__ 18446744073709551615UL
#define __INTPTR_MAX__ 9223372036854775807L
#define __UINTPTR_MAX__ 18446744073709551615UL
#define __SCHAR_WIDTH__ 8
#define __SHRT_WIDTH__ 16
#define __INT_WIDTH__ 32
#define __LONG_WIDTH__ 64
#define __LONG_LONG_WIDTH__ 64
#define __WCHAR_WIDTH__ 32
#define __PTRDIFF_WIDTH__ 64
#define __SIZE_WIDTH__ 64
#define __INTMAX_WIDTH__ 64
#define __SIZE_TYPE__ long unsigned int
#define __PTRDIFF_TYPE__ long int
#define __WCHAR_TYPE__ int
#define __WINT_TYPE__ unsigned int
#define __INTMAX_TYPE__ long int
#define __UINTMAX_TYPE__ long unsigned int
#define __CHAR16_TYPE__ short unsigned int
#define __CHAR32_TYPE__ unsigned int
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short int
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long int
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ short unsigned int
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ long unsigned int
#define __INTPTR_TYPE__ long int
#define __UINTPTR_TYPE__ long unsigned int
#define __INT8_MAX__ 127
#define __INT16_MAX__ 32767
#define __INT32_MAX__ 2147483647
#define __INT64_MAX__ 9223372036854775807L
#define __UINT8_MAX__ 255
#define __UINT16_MAX__ 65535
#define __UINT32_MAX__ 4294967295U
#define __UINT64_MAX__ 18446744073709551615UL
#define __INT8_C(c) c
#define __INT16_C(c) c
#define __INT32_C(c) c
#define __INT64_C(c) c ## L
#define __UINT8_C(c) c
#define __UINT16_C(c) c
#define __UINT32_C(c) c ## U
#define __UINT64_C(c) c ## UL
#define __INTMAX_C(c) c ## L
#define __UINTMAX_C(c) c ## UL
#define __FLT_RADIX__ 2
#define __FLT_EVAL_METHOD__ 0
#define __DECIMAL_DIG__ 21
#define __FLT_MANT_DIG__ 24
#define __FLT_DIG__ 6
#define __FLT_DECIMAL_DIG__ 9
#define __FLT_MIN_EXP__ (-125)
#define __FLT_MIN_10_EXP__ (-37)
#define __FLT_MAX_EXP__ 128
#define __FLT_MAX_10_EXP__ 38
#define __FLT_MAX__ 3.40282346638528859811704183484516925e+38F
#define __FLT_MIN__ 1.17549435082228750796873653722224568e-38F
#define __FLT_EPSILON__ 1.19209289550781250000000000000000000e-7F
#define __FLT_DENORM_MIN__ 1.40129846432481707092372958328991613e-45F
#define __FLT_HAS_DENORM__ 1
#define __FLT_HAS_INFINITY__ 1
#define __FLT_HAS_QUIET_NAN__ 1
#define __DBL_MANT_DIG__ 53
#define __DBL_DIG__ 15
#define __DBL_DECIMAL_DIG__ 17
#define __DBL_MIN_EXP__ (-1021)
#define __DBL_MIN_10_EXP__ (-307)
#define __DBL_MAX_EXP__ 1024
#define __DBL_MAX_10_EXP__ 308
#define __DBL_MAX__ double(1.79769313486231570814527423731704357e+308L)
#define __DBL_MIN__ double(2.22507385850720138309023271733240406e-308L)
#define __DBL_EPSILON__ double(2.22044604925031308084726333618164062e-16L)
#define __DBL_DENORM_MIN__ double(4.94065645841246544176568792868221372e-324L)
#define __DBL_HAS_DENORM__ 1
#define __DBL_HAS_INFINITY__ 1
#define __DBL_HAS_QUIET_NAN__ 1
#define __FINITE_MATH_ONLY__ 0
#define __cpp_rtti 199711L
#define __cpp_exceptions 199711L
#define __cpp_unicode_characters 201411L
#define __cpp_raw_strings 200710L
#define __cpp_unicode_literals 200710L
#define __cpp_user_defined_literals 200809L
#define __cpp_lambdas 200907L
#define __cpp_range_based_for 201603L
#define __cpp_static_assert 201411L
#define __cpp_decltype 200707L
#define __cpp_attributes 200809L
#define __cpp_rvalue_references 200610L
#define __cpp_variadic_templates 200704L
#define __cpp_initializer_lists 200806L
#define __cpp_delegating_constructors 200604L
#define __cpp_nsdmi 200809L
#define __cpp_inheriting_constructors 201511L
#define __cpp_ref_qualifiers 200710L
#define __cpp_alias_templates 200704L
#define __cpp_return_type_deduction 201304L
#define __cpp_binary_literals 201304L
#define __cpp_init_captures 201304L
#define __cpp_generic_lambdas 201304L
#define __cpp_decltype_auto 201304L
#define __cpp_aggregate_nsdmi 201304L
#define __cpp_variable_templates 201304L
#define __cpp_digit_separators 201309L
#define __cpp_sized_deallocation 201309L
#define __cpp_namespace_attributes 201411L
#define __cpp_enumerator_attributes 201411L
#define __cpp_nested_namespace_definitions 201411L
#define __cpp_fold_expressions 201603L
#define __cpp_nontype_template_args 201411L
#define __cpp_constexpr 201603L
#define __cpp_if_constexpr 201606L
#define __cpp_capture_star_this 201603L
#define __cpp_inline_variables 201606L
#define __cpp_aggregate_bases 201603L
#define __cpp_deduction_guides 201703L
#define __cpp_noexcept_function_type 201510L
#define __cpp_template_auto 201606L
#define __cpp_structured_bindings 201606L
#define __cpp_variadic_using 201611L
#define __cpp_guaranteed_copy_elision 201606L
#define __cpp_hex_float 201603L
#define __cpp_threadsafe_static_init 200806L
#define __cpp_aligned_new 201606L
`

// commandLine returns the directives that the options -D, -U and -include are.
func commandLine(o *Options) string {
	var b strings.Builder
	for _, d := range o.Defines {
		name, value := firstLine(d.Name), firstLine(d.Value)
		if d.Undef {
			b.WriteString("#undef " + name + "\n")
		} else {
			b.WriteString("#define " + name + " " + value + "\n")
		}
	}
	for _, name := range o.Includes {
		b.WriteString("#include " + firstLine(name) + "\n")
	}
	return b.String()
}

// firstLine returns the part of text that one directive can hold.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimRight(text, "\\\r")
}
