// Package cxxtest generates random functions of C++ device code and compares what they
// compute on the emulator with what g++'s code computes on the host: the differential
// test of the C++ front end, from text to the contents of memory.
//
// features.txt has the features of the language, each with declarations, statements and a
// weight. In it @T is a random integer type, @1 and @2 are types that are fixed within the
// feature, @E is a random expression of integers, @S the statements of another feature,
// @(a|b) is a or b, and so is @[a@|b@], whose alternatives may have any text. Those of
// weight 0 are what the front end gets wrong at present.
// [Generate] makes a [Func] of some of them by a seed, always the same one.
//
// Every function is defined for every input: signed operands are narrow enough for their
// results, counts of shifts are masked, divisors are positive, and no result depends on an
// order of evaluation that C++17 leaves open. So g++ and we must agree.
//
// [Check] compiles functions with both compilers and describes those that we refuse or
// that differ; [Reduce] takes features away from a function as long as it is wrong.
//
// The archives in testdata have programs of one kernel each that were written for a rule
// of the language, with what g++'s code computes.
package cxxtest
