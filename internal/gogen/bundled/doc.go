// Package bundled holds the Go code generated from the bundled programs, and
// finds the engine for one of them.
//
// The files program_*.go and registry.go are written by
//
//	go generate ./internal/gogen/bundled
//
// and are committed; a test fails when they are not what the generator would
// write now. [Lookup] takes the program's text beside its name, so that an edited
// program is never run by the code of the one it was made from:
//
//	engine, ok := bundled.Lookup("bfs", text, false)
//	if !ok { engine, err = gogen.Build(ctx, info, text, nil) }
//
// The package refuses nothing; what is not bundled is not found.
package bundled

//go:generate go run ../generate
