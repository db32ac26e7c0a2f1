// Command programs builds public CUDA programs by irgl and by nvcc, runs both builds on a
// GPU, judges the answers and compares the times of kernels:
//
//	programs build --sources DIR --out DIR          # from sources: needs both compilers and make
//	programs pack --in DIR --out FILE.tar.xz        # what another machine needs
//	programs run --in DIR --out DIR                 # needs the driver alone; resumes
//	programs report --in DIR --results DIR
//	programs draw --sources DIR --seed 20261124 --kernels 100
//
// The programs are those of programs.txt, which says how each is built, run and judged, or of
// another table in its format. Sources are checkouts of the repositories that it names, each in a folder
// of its repository's name; build --fetch-list prints them. README.md has the rules by which
// programs were chosen.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:           "programs",
		Short:         "Compare irgl with nvcc on public CUDA programs",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetOut(os.Stdout)
	root.AddCommand(buildCommand(), packCommand(), runCommand(), reportCommand(), drawCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "programs:", err)
		os.Exit(1)
	}
}

// pattern is a flag whose value is a regular expression, nil without one.
type pattern struct{ *regexp.Regexp }

func (p *pattern) Set(text string) (err error) {
	p.Regexp, err = regexp.Compile(text)
	return err
}

func (p *pattern) Type() string { return "REGEXP" }

func (p *pattern) String() string {
	if p.Regexp == nil {
		return ""
	}
	return p.Regexp.String()
}
