package main

import (
	"github.com/spf13/cobra"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/device/warm"
	"irgl/internal/engine"
)

// jitCommand is the other end of --compilers.
func jitCommand() *cobra.Command {
	name := "cuda"
	cmd := &cobra.Command{
		Use:    "jit",
		Short:  "Have the GPU's driver compile PTX into its cache, as another process of irgl asks",
		Hidden: true,
		Args:   argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind, ordinal, err := engine.ParseDevice(name)
			if err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			return warm.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), func() (device.Device, error) {
				if kind == "simt" {
					return simt.Open(simt.Options{}), nil
				}
				return cuda.Open(ordinal)
			})
		},
	}
	cmd.Flags().StringVar(&name, "device", name, "compile for `DEVICE`: cuda (or cuda:1, ...), simt")
	return cmd
}
