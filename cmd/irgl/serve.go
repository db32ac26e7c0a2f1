package main

import (
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"irgl/internal/engine"
	"irgl/internal/serve"
)

// serveCommand is the other end of a CUDA program, the Python package, or another client of docs/serve.md.
func serveCommand() *cobra.Command {
	protocol, arena := 0, -1
	cmd := &cobra.Command{
		Use:   "serve --protocol 1 --arena DESCRIPTOR",
		Short: "Hold devices and graphs for the process that starts this command",
		Long: `Hold devices, graphs and compiled programs for the process that starts this command: a CUDA
program that runs on the emulator, the Python package, or another client of the protocol in
docs/serve.md. Requests come from standard input and replies go to standard output, until
the client closes its end.`,
		Args: argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if protocol != serve.Major {
				return usagef(cmd, "--protocol is %d: this version speaks %d", protocol, serve.Major)
			}
			signal.Ignore(os.Interrupt) // the client's terminal sends it to both: the client decides
			out, err := replies(cmd.OutOrStdout())
			if err != nil {
				return err
			}
			o := serve.Options{Version: engine.Version(), Log: cmd.ErrOrStderr(), Counters: os.Getenv("IRGL_COUNTERS"), Report: os.Getenv("IRGL_REPORT")}
			if arena >= 0 {
				o.Arena, o.HasArena = uintptr(arena), true
			}
			return serve.Serve(cmd.Context(), cmd.InOrStdin(), out, o)
		},
	}
	cmd.Flags().IntVar(&protocol, "protocol", protocol, "speak version `MAJOR` of the protocol")
	cmd.Flags().IntVar(&arena, "arena", arena, "share the memory behind the inherited `DESCRIPTOR`")
	return cmd
}

// replies returns where replies go. If that is the process's standard output, what
// else is printed there goes to standard error from now on.
func replies(w io.Writer) (io.Writer, error) {
	if c, ok := w.(*checkedWriter); !ok || c.w != io.Writer(os.Stdout) {
		return w, nil
	}
	own, err := takeStdout()
	if err != nil {
		return nil, err
	}
	os.Stdout = os.Stderr
	return own, nil
}
