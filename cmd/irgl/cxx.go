package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"irgl/internal/cxx"
)

// cxxFlags choose the language of .cu text, and where it finds what it includes.
type cxxFlags struct {
	std     string
	include []string
	system  []string
}

// standards are the values of --std for C++, with those of __cplusplus.
var standards = map[string]int{
	"c++11": 201103, "c++14": 201402, "c++17": 201703, "c++20": 202002,
	"gnu++11": 201103, "gnu++14": 201402, "gnu++17": 201703, "gnu++20": 202002,
}

func (f *cxxFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.std, "std", "", "compile .cu text as `LANGUAGE`: c++17 (or c++11, c++14, c++20, which accept what c++17 has); C without the flag")
	flags.StringArrayVarP(&f.include, "include", "I", nil, "look for included files in `FOLDER`; may be given several times (with --std)")
	flags.StringArrayVar(&f.system, "isystem", nil, "look for included files in `FOLDER` after those of -I; may be given several times (with --std)")
}

// options returns the options of the C++ front end; nil for C.
func (f *cxxFlags) options() (*cxx.Options, error) {
	if f.std == "" {
		if len(f.include)+len(f.system) > 0 {
			return nil, fmt.Errorf("-I and --isystem are for C++: add --std=c++17")
		}
		return nil, nil
	}
	std, ok := standards[f.std]
	if !ok {
		return nil, fmt.Errorf("--std=%s: want c++17, c++11, c++14 or c++20", f.std)
	}
	return &cxx.Options{Std: std, User: f.include, System: f.system}, nil
}
