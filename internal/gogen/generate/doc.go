// Command generate writes the files of package bundled: the Go code of the bundled
// programs, which the command and the public package have compiled in. It takes no
// arguments, and runs in that package's directory:
//
//	//go:generate go run ../generate
//
// It reads ../../programs, removes the files program_*.go, and writes one for each
// program, another for those that have a wide form, and the registry of all. What
// [gogen.BundledFiles] refuses, such as a program that does not check, ends it with
// status 1 before a file is touched; package bundled's test says when it has to run.
package main
