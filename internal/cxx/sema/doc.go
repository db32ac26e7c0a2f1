// Package sema analyses CUDA C++: it turns the syntax tree of package ast into the
// semantic tree of package hir, for what the kernels of a translation unit reach.
//
//	u := parse.Parse(pre, &diags, parse.Options{})
//	p := sema.Check(u, &diags, sema.Options{Instances: []string{"reduce<float, 256>"}})
//
// Declarations are registered by name alone ([checker.declareAll]). Types, values and
// bodies are analysed when a name first refers to them, from the kernels on, each once:
// an entity's state finds definitions in terms of themselves. What no kernel reaches is
// not looked at, so that the host's part of a file can do no harm.
//
// There is no tree of a template: its syntax is analysed anew for each instance, in a
// [scope] that binds its parameters to arguments. In a pattern, which deduction matches
// with arguments, the parameters are bound to themselves, and what fails is dependent.
// Errors in the substitution of a signature are caught ([checker.try]) and make a candidate
// not viable; those in the definition of a class or a body are reported
// ([checker.aside]), with notes that say what was instantiated for what.
//
// An expression is analysed by a method of [env], which says what names see. After an
// error it is a badExpr, which silences what contains it.
//
// Where functions run follows gpucc's rules, as clang implements them: candidates that
// run on the wrong side lose against others, constexpr functions and lambdas run on both
// sides, and a call that cannot be made is an error where device code reaches it.
//
// Of host functions, launches are analysed, with the local declarations and the extended
// lambdas that their arguments use (hostlaunch.go).
//
// Approximations: unqualified names in templates are looked up where the template is
// defined, but what they may mean is not fixed before an instance is made, and a template
// without instances is only parsed. The implicit captures of a generic lambda are the
// variables that its body names.
//
// Type traits: __is_same, __is_base_of, __is_convertible, __is_void, __is_integral,
// __is_floating_point, __is_arithmetic, __is_fundamental, __is_compound, __is_scalar,
// __is_object, __is_array, __is_pointer, __is_reference, __is_lvalue_reference,
// __is_rvalue_reference, __is_function, __is_member_pointer,
// __is_member_function_pointer, __is_member_object_pointer, __is_enum, __is_class,
// __is_union, __is_const, __is_volatile, __is_signed, __is_unsigned, __is_empty,
// __is_final, __is_aggregate, __is_trivial, __is_pod, __is_standard_layout,
// __is_literal_type, __is_polymorphic, __is_abstract, __is_destructible,
// __is_trivially_copyable, __is_trivially_destructible, __is_constructible,
// __is_assignable and their __is_trivially_ and __is_nothrow_ forms, GNU's __has_ ones,
// __has_unique_object_representations, and the type __underlying_type.
//
// Special members that a class does not declare ([class.ctor], [class.dtor], [class.copy]):
//
//	default constructor   declared if there is no constructor but inherited ones
//	copy, copy assignment always declared; deleted if a move is declared
//	move, move assignment declared if there is no copy, move or destructor
//	destructor            always declared
//
// They, and those that = default defines, are deleted if a base or member has no usable function for
// it, or a type that cannot be constructed or assigned, and trivial if all of those functions are.
// The order of reading: special.go finds the declared ones when a class is complete; defaulted.go
// declares the others and decides on both; outofline.go finds a body, deleted or = default behind the
// class; synthesize.go defines them when they are used. Classes as C has them (plain.go) have theirs
// declared only when something asks.
//
// Conversions: sequence.go has the forms of implicit conversion sequences, and which kind an
// expression takes; convert.go the standard conversions, promotion.go and qualification.go parts of
// them; bind.go reference binding; userconversion.go constructors and conversion functions; list.go
// lists; rank.go the order of sequences and of candidates; apply.go carries a sequence out.
//
// Read check.go, entity.go and scope.go first, then declare.go and name.go; typ.go,
// func.go and class.go for declarations; sequence.go, convert.go and overload.go for calls; expr.go,
// operator.go and call.go; template.go, instantiate.go, deduce.go, specialise.go
// and outofline.go.
package sema
