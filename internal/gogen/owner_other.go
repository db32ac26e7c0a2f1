//go:build !unix

package gogen

import "io/fs"

// The user's cache folder is private by its place on this system.

func ownedByUser(fs.FileInfo) bool { return true }
func private(fs.FileInfo) bool     { return true }
func executable(fs.FileInfo) bool  { return true }
