// Package cformat writes numbers and strings as C's printf does, byte for byte as the GNU
// library: the emulator's vprintf and the host evaluator's printf are made of it. (The
// interpreter and package rt have printfs of their own, since they check each other.)
//
//	c, n := cformat.Parse("-8.3f|", nil)   // what is behind the %; n is 5
//	c.Float(2.5)                           // "2.500   "
//
// The caller finds the arguments: [Conversion.Wide] says how many bytes one has among those
// of variable number, and Parse asks for the values of stars. %n and the types of
// wide characters are the caller's.
package cformat
