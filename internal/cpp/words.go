package cpp

// A Word is the number of an operator, a separator or a keyword: a dense enumeration, so that parsers
// switch on integers. Spellings of the same keyword (inline, __inline, __inline__) and of the same operator
// (&&, and) have one word; the token's text has the spelling.
type Word uint16

// The operators and separators.
const (
	NoWord              Word = iota // of names, literals and all other tokens
	LParen                          // (
	RParen                          // )
	LBracket                        // [
	RBracket                        // ]
	LBrace                          // {
	RBrace                          // }
	Semi                            // ;
	Comma                           // ,
	Colon                           // :
	ColonColon                      // ::
	Question                        // ?
	Dot                             // .
	DotStar                         // .*
	Ellipsis                        // ...
	Arrow                           // ->
	ArrowStar                       // ->*
	Plus                            // +
	PlusPlus                        // ++
	PlusEqual                       // +=
	Minus                           // -
	MinusMinus                      // --
	MinusEqual                      // -=
	Star                            // *
	StarEqual                       // *=
	Slash                           // /
	SlashEqual                      // /=
	Percent                         // %
	PercentEqual                    // %=
	Caret                           // ^
	CaretEqual                      // ^=
	Amp                             // &
	AmpAmp                          // &&
	AmpEqual                        // &=
	Pipe                            // |
	PipePipe                        // ||
	PipeEqual                       // |=
	Tilde                           // ~
	Not                             // !
	NotEqual                        // !=
	Equal                           // =
	EqualEqual                      // ==
	Less                            // <
	LessEqual                       // <=
	LessLess                        // <<
	LessLessEqual                   // <<=
	TripleLess                      // <<<
	Spaceship                       // <=>
	Greater                         // >
	GreaterEqual                    // >=
	GreaterGreater                  // >>
	GreaterGreaterEqual             // >>=
	TripleGreater                   // >>>
	Hash                            // #
	HashHash                        // ##
)

// The keywords of C99, C++17, GNU and CUDA. Which of them are keywords depends on the dialect.
const (
	// Types.
	KwVoid      Word = iota + HashHash + 1 // void
	KwBool                                 // bool
	KwChar                                 // char
	KwShort                                // short
	KwInt                                  // int
	KwLong                                 // long
	KwFloat                                // float
	KwDouble                               // double
	KwSigned                               // signed
	KwUnsigned                             // unsigned
	KwWcharT                               // wchar_t
	KwInt64                                // __int64
	KwComplex                              // _Complex
	KwImaginary                            // _Imaginary
	KwChar16T                              // char16_t
	KwChar32T                              // char32_t
	KwInt128                               // __int128
	KwFloat128                             // __float128
	KwFloat16                              // _Float16
	KwReal                                 // __real__
	KwImag                                 // __imag__
	KwChar8T                               // char8_t

	// Declarations.
	KwStruct       // struct
	KwUnion        // union
	KwEnum         // enum
	KwClass        // class
	KwConst        // const
	KwVolatile     // volatile
	KwConstexpr    // constexpr
	KwTypedef      // typedef
	KwExtern       // extern
	KwStatic       // static
	KwInline       // inline
	KwRegister     // register
	KwAuto         // auto
	KwMutable      // mutable
	KwExplicit     // explicit
	KwFriend       // friend
	KwVirtual      // virtual
	KwThreadLocal  // thread_local
	KwAlignas      // alignas
	KwExport       // export
	KwNamespace    // namespace
	KwTemplate     // template
	KwTypename     // typename
	KwUsing        // using
	KwOperator     // operator
	KwPublic       // public
	KwPrivate      // private
	KwProtected    // protected
	KwDecltype     // decltype
	KwStaticAssert // static_assert
	KwAsm          // asm
	KwRestrict     // restrict
	KwGeneric      // _Generic
	KwTypeof       // typeof
	KwAttribute    // __attribute__
	KwExtension    // __extension__
	KwAtomic       // _Atomic
	KwNoreturn     // _Noreturn
	KwDeclspec     // __declspec
	KwConcept      // concept
	KwRequires     // requires
	KwConsteval    // consteval
	KwConstinit    // constinit

	// CUDA's qualifiers.
	KwGlobal       // __global__
	KwDevice       // __device__
	KwHost         // __host__
	KwShared       // __shared__
	KwConstant     // __constant__
	KwManaged      // __managed__
	KwForceinline  // __forceinline__
	KwNoinline     // __noinline__
	KwLaunchBounds // __launch_bounds__
	KwAlign        // __align__
	KwGridConstant // __grid_constant__
	KwClusterDims  // __cluster_dims__
	KwMaxnreg      // __maxnreg__
	KwBlockSize    // __block_size__
	KwNvPure       // __nv_pure__

	// Statements.
	KwIf       // if
	KwElse     // else
	KwFor      // for
	KwWhile    // while
	KwDo       // do
	KwSwitch   // switch
	KwCase     // case
	KwDefault  // default
	KwReturn   // return
	KwBreak    // break
	KwContinue // continue
	KwGoto     // goto
	KwTry      // try
	KwCatch    // catch
	KwThrow    // throw
	KwCoAwait  // co_await
	KwCoReturn // co_return
	KwCoYield  // co_yield

	// Expressions.
	KwSizeof                  // sizeof
	KwAlignof                 // alignof
	KwTrue                    // true
	KwFalse                   // false
	KwNullptr                 // nullptr
	KwThis                    // this
	KwNew                     // new
	KwDelete                  // delete
	KwTypeid                  // typeid
	KwNoexcept                // noexcept
	KwConstCast               // const_cast
	KwDynamicCast             // dynamic_cast
	KwReinterpretCast         // reinterpret_cast
	KwStaticCast              // static_cast
	KwBuiltinVaArg            // __builtin_va_arg
	KwNull                    // __null
	KwBuiltinOffsetof         // __builtin_offsetof
	KwBuiltinBitCast          // __builtin_bit_cast
	KwBuiltinAddressof        // __builtin_addressof
	KwBuiltinTypesCompatibleP // __builtin_types_compatible_p
	KwBuiltinChooseExpr       // __builtin_choose_expr
	KwBuiltinConvertvector    // __builtin_convertvector

	// Type traits, which take types as arguments: from FirstTrait to LastTrait.
	KwHasNothrowAssign               // __has_nothrow_assign
	KwHasNothrowConstructor          // __has_nothrow_constructor
	KwHasNothrowCopy                 // __has_nothrow_copy
	KwHasTrivialAssign               // __has_trivial_assign
	KwHasTrivialConstructor          // __has_trivial_constructor
	KwHasTrivialCopy                 // __has_trivial_copy
	KwHasTrivialDestructor           // __has_trivial_destructor
	KwHasUniqueObjectRepresentations // __has_unique_object_representations
	KwHasVirtualDestructor           // __has_virtual_destructor
	KwIsAbstract                     // __is_abstract
	KwIsAggregate                    // __is_aggregate
	KwIsArithmetic                   // __is_arithmetic
	KwIsArray                        // __is_array
	KwIsAssignable                   // __is_assignable
	KwIsBaseOf                       // __is_base_of
	KwIsClass                        // __is_class
	KwIsCompound                     // __is_compound
	KwIsConst                        // __is_const
	KwIsConstructible                // __is_constructible
	KwIsConvertible                  // __is_convertible
	KwIsDestructible                 // __is_destructible
	KwIsEmpty                        // __is_empty
	KwIsEnum                         // __is_enum
	KwIsFinal                        // __is_final
	KwIsFloatingPoint                // __is_floating_point
	KwIsFunction                     // __is_function
	KwIsFundamental                  // __is_fundamental
	KwIsIntegral                     // __is_integral
	KwIsLiteralType                  // __is_literal_type
	KwIsLvalueReference              // __is_lvalue_reference
	KwIsMemberFunctionPointer        // __is_member_function_pointer
	KwIsMemberObjectPointer          // __is_member_object_pointer
	KwIsMemberPointer                // __is_member_pointer
	KwIsNothrowAssignable            // __is_nothrow_assignable
	KwIsNothrowConstructible         // __is_nothrow_constructible
	KwIsNothrowDestructible          // __is_nothrow_destructible
	KwIsObject                       // __is_object
	KwIsPod                          // __is_pod
	KwIsPointer                      // __is_pointer
	KwIsPolymorphic                  // __is_polymorphic
	KwIsReference                    // __is_reference
	KwIsRvalueReference              // __is_rvalue_reference
	KwIsSame                         // __is_same
	KwIsScalar                       // __is_scalar
	KwIsSigned                       // __is_signed
	KwIsStandardLayout               // __is_standard_layout
	KwIsTrivial                      // __is_trivial
	KwIsTriviallyAssignable          // __is_trivially_assignable
	KwIsTriviallyConstructible       // __is_trivially_constructible
	KwIsTriviallyCopyable            // __is_trivially_copyable
	KwIsTriviallyDestructible        // __is_trivially_destructible
	KwIsUnion                        // __is_union
	KwIsUnsigned                     // __is_unsigned
	KwIsVoid                         // __is_void
	KwIsVolatile                     // __is_volatile
	KwReferenceBindsToTemporary      // __reference_binds_to_temporary
	KwUnderlyingType                 // __underlying_type

	numWords
)

// The first and the last type trait.
const (
	FirstTrait = KwHasNothrowAssign
	LastTrait  = KwUnderlyingType
)

// Where a spelling is a keyword or an operator.
const (
	inC      uint8 = 1 << iota // in the C dialect
	inCXX                      // in C++17
	inCXX20                    // in C++20 and later
	altToken                   // in C++, as another spelling of an operator
)

// puncts are the spellings of operators and separators.
var puncts = [...]string{
	LParen:              "(",
	RParen:              ")",
	LBracket:            "[",
	RBracket:            "]",
	LBrace:              "{",
	RBrace:              "}",
	Semi:                ";",
	Comma:               ",",
	Colon:               ":",
	ColonColon:          "::",
	Question:            "?",
	Dot:                 ".",
	DotStar:             ".*",
	Ellipsis:            "...",
	Arrow:               "->",
	ArrowStar:           "->*",
	Plus:                "+",
	PlusPlus:            "++",
	PlusEqual:           "+=",
	Minus:               "-",
	MinusMinus:          "--",
	MinusEqual:          "-=",
	Star:                "*",
	StarEqual:           "*=",
	Slash:               "/",
	SlashEqual:          "/=",
	Percent:             "%",
	PercentEqual:        "%=",
	Caret:               "^",
	CaretEqual:          "^=",
	Amp:                 "&",
	AmpAmp:              "&&",
	AmpEqual:            "&=",
	Pipe:                "|",
	PipePipe:            "||",
	PipeEqual:           "|=",
	Tilde:               "~",
	Not:                 "!",
	NotEqual:            "!=",
	Equal:               "=",
	EqualEqual:          "==",
	Less:                "<",
	LessEqual:           "<=",
	LessLess:            "<<",
	LessLessEqual:       "<<=",
	TripleLess:          "<<<",
	Spaceship:           "<=>",
	Greater:             ">",
	GreaterEqual:        ">=",
	GreaterGreater:      ">>",
	GreaterGreaterEqual: ">>=",
	TripleGreater:       ">>>",
	Hash:                "#",
	HashHash:            "##",
}

// keywords are the spellings of keywords and alternative tokens.
var keywords = [...]struct {
	text  string
	word  Word
	flags uint8
}{
	{"void", KwVoid, inC | inCXX},
	{"bool", KwBool, inC | inCXX},
	{"char", KwChar, inC | inCXX},
	{"short", KwShort, inC | inCXX},
	{"int", KwInt, inC | inCXX},
	{"long", KwLong, inC | inCXX},
	{"float", KwFloat, inC | inCXX},
	{"double", KwDouble, inC | inCXX},
	{"signed", KwSigned, inC | inCXX},
	{"unsigned", KwUnsigned, inC | inCXX},
	{"wchar_t", KwWcharT, inC | inCXX},
	{"__int64", KwInt64, inC},
	{"_Bool", KwBool, inC | inCXX},
	{"__signed__", KwSigned, inC | inCXX},
	{"_Complex", KwComplex, inC | inCXX},
	{"_Imaginary", KwImaginary, inC | inCXX},
	{"char16_t", KwChar16T, inCXX},
	{"char32_t", KwChar32T, inCXX},
	{"__int128", KwInt128, inCXX},
	{"__float128", KwFloat128, inCXX},
	{"_Float16", KwFloat16, inCXX},
	{"__signed", KwSigned, inCXX},
	{"__complex__", KwComplex, inCXX},
	{"__real__", KwReal, inCXX},
	{"__imag__", KwImag, inCXX},
	{"char8_t", KwChar8T, inCXX20},
	{"struct", KwStruct, inC | inCXX},
	{"union", KwUnion, inC | inCXX},
	{"enum", KwEnum, inC | inCXX},
	{"class", KwClass, inC | inCXX},
	{"const", KwConst, inC | inCXX},
	{"volatile", KwVolatile, inC | inCXX},
	{"constexpr", KwConstexpr, inC | inCXX},
	{"typedef", KwTypedef, inC | inCXX},
	{"extern", KwExtern, inC | inCXX},
	{"static", KwStatic, inC | inCXX},
	{"inline", KwInline, inC | inCXX},
	{"register", KwRegister, inC | inCXX},
	{"auto", KwAuto, inC | inCXX},
	{"mutable", KwMutable, inC | inCXX},
	{"explicit", KwExplicit, inC | inCXX},
	{"friend", KwFriend, inC | inCXX},
	{"virtual", KwVirtual, inC | inCXX},
	{"thread_local", KwThreadLocal, inC | inCXX},
	{"alignas", KwAlignas, inC | inCXX},
	{"export", KwExport, inC | inCXX},
	{"namespace", KwNamespace, inC | inCXX},
	{"template", KwTemplate, inC | inCXX},
	{"typename", KwTypename, inC | inCXX},
	{"using", KwUsing, inC | inCXX},
	{"operator", KwOperator, inC | inCXX},
	{"public", KwPublic, inC | inCXX},
	{"private", KwPrivate, inC | inCXX},
	{"protected", KwProtected, inC | inCXX},
	{"decltype", KwDecltype, inC | inCXX},
	{"__decltype", KwDecltype, inCXX},
	{"static_assert", KwStaticAssert, inC | inCXX},
	{"asm", KwAsm, inC | inCXX},
	{"restrict", KwRestrict, inC},
	{"_Alignas", KwAlignas, inC},
	{"_Generic", KwGeneric, inC},
	{"typeof", KwTypeof, inC | inCXX},
	{"__inline__", KwInline, inC | inCXX},
	{"__inline", KwInline, inC | inCXX},
	{"__const__", KwConst, inC | inCXX},
	{"__volatile__", KwVolatile, inC | inCXX},
	{"__restrict__", KwRestrict, inC | inCXX},
	{"__restrict", KwRestrict, inC | inCXX},
	{"__attribute__", KwAttribute, inC | inCXX},
	{"__extension__", KwExtension, inC | inCXX},
	{"__asm__", KwAsm, inC | inCXX},
	{"__asm", KwAsm, inC | inCXX},
	{"__typeof__", KwTypeof, inC | inCXX},
	{"_Atomic", KwAtomic, inC | inCXX},
	{"_Static_assert", KwStaticAssert, inC | inCXX},
	{"__const", KwConst, inCXX},
	{"__volatile", KwVolatile, inCXX},
	{"__attribute", KwAttribute, inCXX},
	{"__typeof", KwTypeof, inCXX},
	{"__thread", KwThreadLocal, inCXX},
	{"_Thread_local", KwThreadLocal, inCXX},
	{"_Noreturn", KwNoreturn, inCXX},
	{"__declspec", KwDeclspec, inCXX},
	{"concept", KwConcept, inC | inCXX20},
	{"requires", KwRequires, inC | inCXX20},
	{"consteval", KwConsteval, inC | inCXX20},
	{"constinit", KwConstinit, inC | inCXX20},
	{"__global__", KwGlobal, inC | inCXX},
	{"__device__", KwDevice, inC | inCXX},
	{"__host__", KwHost, inC | inCXX},
	{"__shared__", KwShared, inC | inCXX},
	{"__constant__", KwConstant, inC | inCXX},
	{"__managed__", KwManaged, inC | inCXX},
	{"__forceinline__", KwForceinline, inC | inCXX},
	{"__noinline__", KwNoinline, inC | inCXX},
	{"__launch_bounds__", KwLaunchBounds, inC | inCXX},
	{"__align__", KwAlign, inC | inCXX},
	{"__grid_constant__", KwGridConstant, inC | inCXX},
	{"__cluster_dims__", KwClusterDims, inC | inCXX},
	{"__maxnreg__", KwMaxnreg, inCXX},
	{"__block_size__", KwBlockSize, inCXX},
	{"__nv_pure__", KwNvPure, inCXX},
	{"if", KwIf, inC | inCXX},
	{"else", KwElse, inC | inCXX},
	{"for", KwFor, inC | inCXX},
	{"while", KwWhile, inC | inCXX},
	{"do", KwDo, inC | inCXX},
	{"switch", KwSwitch, inC | inCXX},
	{"case", KwCase, inC | inCXX},
	{"default", KwDefault, inC | inCXX},
	{"return", KwReturn, inC | inCXX},
	{"break", KwBreak, inC | inCXX},
	{"continue", KwContinue, inC | inCXX},
	{"goto", KwGoto, inC | inCXX},
	{"try", KwTry, inC | inCXX},
	{"catch", KwCatch, inC | inCXX},
	{"throw", KwThrow, inC | inCXX},
	{"co_await", KwCoAwait, inC | inCXX20},
	{"co_return", KwCoReturn, inC | inCXX20},
	{"co_yield", KwCoYield, inC | inCXX20},
	{"sizeof", KwSizeof, inC | inCXX},
	{"alignof", KwAlignof, inC | inCXX},
	{"true", KwTrue, inC | inCXX},
	{"false", KwFalse, inC | inCXX},
	{"nullptr", KwNullptr, inC | inCXX},
	{"this", KwThis, inC | inCXX},
	{"new", KwNew, inC | inCXX},
	{"delete", KwDelete, inC | inCXX},
	{"typeid", KwTypeid, inC | inCXX},
	{"noexcept", KwNoexcept, inC | inCXX},
	{"const_cast", KwConstCast, inC | inCXX},
	{"dynamic_cast", KwDynamicCast, inC | inCXX},
	{"reinterpret_cast", KwReinterpretCast, inC | inCXX},
	{"static_cast", KwStaticCast, inC | inCXX},
	{"__builtin_va_arg", KwBuiltinVaArg, inC | inCXX},
	{"__alignof__", KwAlignof, inCXX},
	{"__alignof", KwAlignof, inCXX},
	{"_Alignof", KwAlignof, inCXX},
	{"__null", KwNull, inCXX},
	{"__builtin_offsetof", KwBuiltinOffsetof, inCXX},
	{"__builtin_bit_cast", KwBuiltinBitCast, inCXX},
	{"__builtin_addressof", KwBuiltinAddressof, inCXX},
	{"__builtin_types_compatible_p", KwBuiltinTypesCompatibleP, inCXX},
	{"__builtin_choose_expr", KwBuiltinChooseExpr, inCXX},
	{"__builtin_convertvector", KwBuiltinConvertvector, inCXX},
	{"__has_nothrow_assign", KwHasNothrowAssign, inCXX},
	{"__has_nothrow_constructor", KwHasNothrowConstructor, inCXX},
	{"__has_nothrow_copy", KwHasNothrowCopy, inCXX},
	{"__has_trivial_assign", KwHasTrivialAssign, inCXX},
	{"__has_trivial_constructor", KwHasTrivialConstructor, inCXX},
	{"__has_trivial_copy", KwHasTrivialCopy, inCXX},
	{"__has_trivial_destructor", KwHasTrivialDestructor, inCXX},
	{"__has_unique_object_representations", KwHasUniqueObjectRepresentations, inCXX},
	{"__has_virtual_destructor", KwHasVirtualDestructor, inCXX},
	{"__is_abstract", KwIsAbstract, inCXX},
	{"__is_aggregate", KwIsAggregate, inCXX},
	{"__is_arithmetic", KwIsArithmetic, inCXX},
	{"__is_array", KwIsArray, inCXX},
	{"__is_assignable", KwIsAssignable, inCXX},
	{"__is_base_of", KwIsBaseOf, inCXX},
	{"__is_class", KwIsClass, inCXX},
	{"__is_compound", KwIsCompound, inCXX},
	{"__is_const", KwIsConst, inCXX},
	{"__is_constructible", KwIsConstructible, inCXX},
	{"__is_convertible", KwIsConvertible, inCXX},
	{"__is_convertible_to", KwIsConvertible, inCXX},
	{"__is_destructible", KwIsDestructible, inCXX},
	{"__is_empty", KwIsEmpty, inCXX},
	{"__is_enum", KwIsEnum, inCXX},
	{"__is_final", KwIsFinal, inCXX},
	{"__is_floating_point", KwIsFloatingPoint, inCXX},
	{"__is_function", KwIsFunction, inCXX},
	{"__is_fundamental", KwIsFundamental, inCXX},
	{"__is_integral", KwIsIntegral, inCXX},
	{"__is_literal_type", KwIsLiteralType, inCXX},
	{"__is_lvalue_reference", KwIsLvalueReference, inCXX},
	{"__is_member_function_pointer", KwIsMemberFunctionPointer, inCXX},
	{"__is_member_object_pointer", KwIsMemberObjectPointer, inCXX},
	{"__is_member_pointer", KwIsMemberPointer, inCXX},
	{"__is_nothrow_assignable", KwIsNothrowAssignable, inCXX},
	{"__is_nothrow_constructible", KwIsNothrowConstructible, inCXX},
	{"__is_nothrow_destructible", KwIsNothrowDestructible, inCXX},
	{"__is_object", KwIsObject, inCXX},
	{"__is_pod", KwIsPod, inCXX},
	{"__is_pointer", KwIsPointer, inCXX},
	{"__is_polymorphic", KwIsPolymorphic, inCXX},
	{"__is_reference", KwIsReference, inCXX},
	{"__is_rvalue_reference", KwIsRvalueReference, inCXX},
	{"__is_same", KwIsSame, inCXX},
	{"__is_same_as", KwIsSame, inCXX},
	{"__is_scalar", KwIsScalar, inCXX},
	{"__is_signed", KwIsSigned, inCXX},
	{"__is_standard_layout", KwIsStandardLayout, inCXX},
	{"__is_trivial", KwIsTrivial, inCXX},
	{"__is_trivially_assignable", KwIsTriviallyAssignable, inCXX},
	{"__is_trivially_constructible", KwIsTriviallyConstructible, inCXX},
	{"__is_trivially_copyable", KwIsTriviallyCopyable, inCXX},
	{"__is_trivially_destructible", KwIsTriviallyDestructible, inCXX},
	{"__is_union", KwIsUnion, inCXX},
	{"__is_unsigned", KwIsUnsigned, inCXX},
	{"__is_void", KwIsVoid, inCXX},
	{"__is_volatile", KwIsVolatile, inCXX},
	{"__reference_binds_to_temporary", KwReferenceBindsToTemporary, inCXX},
	{"__underlying_type", KwUnderlyingType, inCXX},
	{"and", AmpAmp, inC | altToken},
	{"and_eq", AmpEqual, inC | altToken},
	{"bitand", Amp, inC | altToken},
	{"bitor", Pipe, inC | altToken},
	{"compl", Tilde, inC | altToken},
	{"not", Not, inC | altToken},
	{"not_eq", NotEqual, inC | altToken},
	{"or", PipePipe, inC | altToken},
	{"or_eq", PipeEqual, inC | altToken},
	{"xor", Caret, inC | altToken},
	{"xor_eq", CaretEqual, inC | altToken},
}
