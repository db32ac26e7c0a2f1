package parse

import "irgl/internal/cpp"

// numWords is more than all words of package cpp.
const numWords = 512

// What a word may begin.
const (
	startsSpec uint16 = 1 << iota // a declaration's specifier, other than a name
	startsType                    // a specifier that is part of a type
	basicWord                     // of a built-in type
	startsStmt                    // a statement
	startsExpr                    // an expression, other than by a name
	binaryOp
	assignOp
	overloadable // as operator@
)

var wordFlags = func() (f [numWords]uint16) {
	set := func(flags uint16, words ...cpp.Word) {
		for _, w := range words {
			f[w] |= flags
		}
	}
	set(basicWord|startsType|startsSpec, cpp.KwVoid, cpp.KwBool, cpp.KwChar, cpp.KwShort, cpp.KwInt, cpp.KwLong, cpp.KwFloat, cpp.KwDouble,
		cpp.KwSigned, cpp.KwUnsigned, cpp.KwWcharT, cpp.KwChar8T, cpp.KwChar16T, cpp.KwChar32T, cpp.KwInt128, cpp.KwFloat128, cpp.KwFloat16,
		cpp.KwComplex, cpp.KwInt64)
	set(startsType|startsSpec, cpp.KwStruct, cpp.KwUnion, cpp.KwClass, cpp.KwEnum, cpp.KwConst, cpp.KwVolatile, cpp.KwAuto, cpp.KwTypename,
		cpp.KwDecltype, cpp.KwTypeof, cpp.KwUnderlyingType, cpp.KwAtomic)
	set(startsSpec, cpp.KwConstexpr, cpp.KwConsteval, cpp.KwConstinit, cpp.KwTypedef, cpp.KwExtern, cpp.KwStatic, cpp.KwInline, cpp.KwRegister, cpp.KwMutable,
		cpp.KwExplicit, cpp.KwFriend, cpp.KwVirtual, cpp.KwThreadLocal, cpp.KwAlignas, cpp.KwAttribute, cpp.KwExtension, cpp.KwNoreturn,
		cpp.KwDeclspec, cpp.KwGlobal, cpp.KwDevice, cpp.KwHost, cpp.KwShared, cpp.KwConstant, cpp.KwManaged, cpp.KwForceinline,
		cpp.KwNoinline, cpp.KwLaunchBounds, cpp.KwAlign, cpp.KwGridConstant, cpp.KwClusterDims, cpp.KwMaxnreg, cpp.KwBlockSize, cpp.KwNvPure,
		cpp.KwRestrict)
	set(startsStmt, cpp.KwIf, cpp.KwFor, cpp.KwWhile, cpp.KwDo, cpp.KwSwitch, cpp.KwCase, cpp.KwDefault, cpp.KwReturn, cpp.KwBreak,
		cpp.KwContinue, cpp.KwGoto, cpp.KwTry, cpp.LBrace, cpp.Semi, cpp.KwAsm, cpp.KwElse)
	set(startsExpr, cpp.LParen, cpp.KwThis, cpp.KwTrue, cpp.KwFalse, cpp.KwNullptr, cpp.KwNull, cpp.KwSizeof, cpp.KwAlignof, cpp.KwNew, cpp.KwDelete,
		cpp.KwTypeid, cpp.KwNoexcept, cpp.KwConstCast, cpp.KwDynamicCast, cpp.KwReinterpretCast, cpp.KwStaticCast, cpp.KwBuiltinVaArg,
		cpp.KwBuiltinOffsetof, cpp.KwBuiltinBitCast, cpp.KwBuiltinAddressof, cpp.KwThrow, cpp.KwReal, cpp.KwImag, cpp.Tilde, cpp.Not,
		cpp.PlusPlus, cpp.MinusMinus, cpp.KwExtension, cpp.KwBuiltinTypesCompatibleP, cpp.KwBuiltinChooseExpr, cpp.KwBuiltinConvertvector, cpp.KwOperator)
	for w := cpp.FirstTrait; w <= cpp.LastTrait; w++ {
		set(startsExpr, w)
	}
	for w, prec := range precedence {
		if prec > 0 {
			f[w] |= binaryOp
		}
	}
	set(assignOp, cpp.Equal, cpp.PlusEqual, cpp.MinusEqual, cpp.StarEqual, cpp.SlashEqual, cpp.PercentEqual, cpp.CaretEqual, cpp.AmpEqual,
		cpp.PipeEqual, cpp.LessLessEqual, cpp.GreaterGreaterEqual)
	set(overloadable, cpp.Plus, cpp.PlusPlus, cpp.PlusEqual, cpp.Minus, cpp.MinusMinus, cpp.MinusEqual, cpp.Star, cpp.StarEqual, cpp.Slash,
		cpp.SlashEqual, cpp.Percent, cpp.PercentEqual, cpp.Caret, cpp.CaretEqual, cpp.Amp, cpp.AmpAmp, cpp.AmpEqual, cpp.Pipe, cpp.PipePipe,
		cpp.PipeEqual, cpp.Tilde, cpp.Not, cpp.NotEqual, cpp.Equal, cpp.EqualEqual, cpp.Less, cpp.LessEqual, cpp.LessLess, cpp.LessLessEqual,
		cpp.Spaceship, cpp.Greater, cpp.GreaterEqual, cpp.GreaterGreater, cpp.GreaterGreaterEqual, cpp.Comma, cpp.Arrow, cpp.ArrowStar)
	return f
}()

// precedence is that of binary operators but assignments: higher binds closer; 0 for others.
var precedence = [numWords]uint8{
	cpp.PipePipe: 1, cpp.AmpAmp: 2, cpp.Pipe: 3, cpp.Caret: 4, cpp.Amp: 5,
	cpp.EqualEqual: 6, cpp.NotEqual: 6,
	cpp.Less: 7, cpp.LessEqual: 7, cpp.Greater: 7, cpp.GreaterEqual: 7, cpp.Spaceship: 8,
	cpp.LessLess: 9, cpp.GreaterGreater: 9, cpp.Plus: 10, cpp.Minus: 10,
	cpp.Star: 11, cpp.Slash: 11, cpp.Percent: 11, cpp.DotStar: 12, cpp.ArrowStar: 12,
}

// is reports whether w has one of the flags.
func is(w cpp.Word, flags uint16) bool { return wordFlags[w]&flags != 0 }

// beginsExpr reports whether a token may begin an expression that is not only an operator's
// right operand, as what follows a cast.
func beginsExpr(t *cpp.Token) bool {
	switch t.Kind {
	case cpp.Ident, cpp.Number, cpp.Char, cpp.String:
		return true
	}
	return is(t.Word, startsExpr|basicWord) || t.Word == cpp.ColonColon || t.Word == cpp.KwTypename || t.Word == cpp.KwDecltype
}
