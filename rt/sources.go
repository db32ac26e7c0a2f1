package rt

import "embed"

// Sources holds the package's files. Package gogen copies them, but for this one and
// the tests, into the modules that it builds for programs.
//
//go:embed *.go
var Sources embed.FS
