package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/cxx"
)

// cxxFlags choose the language of .cu text, and where it finds what it includes.
type cxxFlags struct {
	std     string
	suffix  string // of -x: that of the language
	include []string
	system  []string
	kernels []string // instances of kernel templates
}

// standards are the values of --std for C++, with those of __cplusplus.
var standards = map[string]int{
	"c++11": 201103, "c++14": 201402, "c++17": 201703, "c++20": 202002,
	"gnu++11": 201103, "gnu++14": 201402, "gnu++17": 201703, "gnu++20": 202002,
}

func (f *cxxFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.std, "std", "c++17", "compile .cu text as `LANGUAGE`: c++17 (or c++11, c++14, c++20, which accept what c++17 has), or c99")
	flags.VarP((*languageFlag)(&f.suffix), "language", "x", "take files of any suffix, and standard input, for `cu`, CUDA text")
	flags.StringArrayVarP(&f.include, "include", "I", nil, "look for files that .cu text includes in `FOLDER`; may be given several times")
	flags.StringArrayVar(&f.kernels, "instance", nil, "compile an instance of a kernel template of .cu text that it does not name: `'k<float>'`; may be given several times")
	flags.StringArrayVar(&f.system, "isystem", nil, "look for included files in `FOLDER` after those of -I; may be given several times")
}

// text is programText for a command that has -x: standard input may be CUDA, too.
func (f *cxxFlags) text(cmd *cobra.Command, name string) (string, []byte, error) {
	file, text, err := programText(cmd, name)
	if name == "-" && f.suffix != "" {
		file = "standard-input" + f.suffix
	}
	return file, text, err
}

// A languageFlag is the value of -x: the suffix of a language, or "".
type languageFlag string

func (f *languageFlag) String() string { return string(*f) }

func (f *languageFlag) Set(text string) error {
	if text != "cu" {
		if strings.HasPrefix(text, ".") {
			return fmt.Errorf("the language is cu; a file whose name starts with a dash is named ./-x%s", text)
		}
		return fmt.Errorf("the language is cu; other files have the suffix .irgl or .json")
	}
	*f = ".cu"
	return nil
}

// Type returns the kind of the value, which help leaves out.
func (f *languageFlag) Type() string { return "string" }

// options returns the options of the C++ front end; nil for C.
func (f *cxxFlags) options() (*cxx.Options, error) {
	if f.std == "" { // a command without the flag
		return nil, nil
	}
	if f.std == "c99" {
		if len(f.include)+len(f.system)+len(f.kernels) > 0 {
			return nil, fmt.Errorf("-I, --isystem and --instance are for C++, which --std=c99 is not")
		}
		return nil, nil
	}
	std, ok := standards[f.std]
	if !ok {
		return nil, fmt.Errorf("--std=%s: want c++17, c++11, c++14, c++20 or c99", f.std)
	}
	return &cxx.Options{Std: std, User: f.include, System: f.system, Instances: f.kernels}, nil
}
