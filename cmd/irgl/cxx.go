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
	flags.StringVar(&f.std, "std", "c++17", "compile .cu text as `LANGUAGE`: c++17 (or c++11, c++14, c++20, which accept what c++17 has), or c99")
	flags.StringArrayVarP(&f.include, "include", "I", nil, "look for files that .cu text includes in `FOLDER`; may be given several times")
	flags.StringArrayVar(&f.system, "isystem", nil, "look for included files in `FOLDER` after those of -I; may be given several times")
}

// options returns the options of the C++ front end; nil for C.
func (f *cxxFlags) options() (*cxx.Options, error) {
	if f.std == "" { // a command without the flag
		return nil, nil
	}
	if f.std == "c99" {
		if len(f.include)+len(f.system) > 0 {
			return nil, fmt.Errorf("-I and --isystem are for C++, --std=c99 includes no files")
		}
		return nil, nil
	}
	std, ok := standards[f.std]
	if !ok {
		return nil, fmt.Errorf("--std=%s: want c++17, c++11, c++14, c++20 or c99", f.std)
	}
	return &cxx.Options{Std: std, User: f.include, System: f.system}, nil
}
