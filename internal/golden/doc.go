// Package golden compares what a test made with what is stored under testdata.
// It is for tests only.
//
//	a := golden.Archive(t, "testdata/loop.txtar")
//	golden.Section(t, a, "want.ptx", ptx.Print(m))
//
//	golden.File(t, "testdata/sizes.txt", sizes)
//
// A difference is an error of the test, shown as a unified diff with the stored
// text on the minus side. With the flag -update, which the package defines for
// every test binary that imports it, the stored text is replaced instead:
//
//	go test ./internal/ptxgen -update
//
// Texts too long to review belong to package filecheck, which compares what is
// essential in them.
package golden
