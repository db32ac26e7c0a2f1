package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"irgl/internal/gogen"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	old, err := filepath.Glob("program_*.go")
	if err != nil {
		return err
	}
	list, err := gogen.ReadTexts("../../programs")
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("there are no programs in ../../programs: run go generate ./internal/gogen/bundled")
	}
	files, err := gogen.BundledFiles(list)
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
