package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

func genCommand() *cobra.Command {
	var dir, name string
	cmd := &cobra.Command{
		Use:   "gen PROGRAM|FILE.irgl -o DIR",
		Short: "Write a Go package that runs a program",
		Long: `Write a Go package for a program to a folder: its arguments and results as structs
with Go types, its text embedded. The package imports irgl, compiles the program for
the device that its caller chooses, and runs it on graphs of package irgl/graph.

  go func:  p, err := NAME.Compile(ctx, irgl.Options{Device: "auto"})
            r, err := p.Run(ctx, g, NAME.Args{Src: 0})`,
		Example: `  irgl gen reach.irgl -o internal/reach
  irgl gen sssp_nf -o paths --package paths`,
		Args: argRange(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usagef(cmd, "name the folder of the package by -o DIR")
			}
			p, err := loadProgram(cmd, args[0])
			if err != nil {
				return err
			}
			p.Warnings(cmd.ErrOrStderr())
			files, err := p.GoPackage(name)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			var list []output
			for file, text := range files {
				list = append(list, output{file, func(w io.Writer) error {
					_, err := w.Write(text)
					return err
				}})
			}
			if err := writeAll(cmd.Context(), cmd, dir, list); err != nil {
				return fmt.Errorf("gen: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "write the package to the folder `DIR`, which is made if there is none")
	cmd.Flags().StringVar(&name, "package", "", "call the package `NAME` (default: after the program)")
	cmd.ValidArgsFunction = completePrograms
	return cmd
}
