package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"irgl/internal/atomicfile"
)

func packCommand() *cobra.Command {
	var in, out string
	cmd := &cobra.Command{
		Use:   "pack --in DIR --out FILE.tar.xz",
		Short: "Put what another machine needs to run the programs into an archive",
		Long: `Write an archive of what build has made: the programs without their symbols, their inputs, the
recorder with CUPTI's library, and this command itself as bench, so that the other machine needs a GPU's driver, sh and tar alone.
All is in a folder programs, the --in of run. The name says how it is compressed: .tar.zst, or .tar.xz by the command xz. The same builds give the same archive.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&in, "in", "", "the `DIR` that build made")
	f.StringVar(&out, "out", "", "the archive: `FILE`")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		compress := map[string]compressor{".xz": xz, ".zst": zst}[filepath.Ext(out)]
		if in == "" || compress == nil {
			return errors.New("pack needs --in, and an --out that ends in .tar.xz or .tar.zst")
		}
		programs, err := loadPrograms(in, nil)
		if err != nil {
			return err
		}
		strip, err := exec.LookPath("strip")
		if err != nil {
			return fmt.Errorf("symbols: %w", err)
		}
		err = atomicfile.Write(cmd.Context(), out, func(w io.Writer) error {
			return compress(cmd.Context(), w, func(w io.Writer) error { return archive(cmd.Context(), w, in, programs, strip) })
		})
		if err != nil {
			return err
		}
		st, err := os.Stat(out)
		if err == nil {
			cmd.Printf("%s: %d programs, %.1f MB\n", out, len(programs), float64(st.Size())/1e6)
		}
		return err
	}
	return cmd
}

// A compressor passes what write writes on to w.
type compressor func(ctx context.Context, w io.Writer, write func(io.Writer) error) error

func zst(_ context.Context, w io.Writer, write func(io.Writer) error) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(64<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	return errors.Join(write(z), z.Close())
}

func xz(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	cmd := exec.CommandContext(ctx, "xz", "-6")
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(write(pipe), pipe.Close(), cmd.Wait())
}

// archive writes the files of programs in the order of their names.
func archive(ctx context.Context, w io.Writer, in string, programs []program, strip string) error {
	t := tar.NewWriter(w)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := addFile(ctx, t, self, "programs/bench", strip); err != nil {
		return err
	}
	for _, lib := range []string{"libcupti.so", "recorder.so"} {
		if exists(filepath.Join(in, lib)) {
			if err := addFile(ctx, t, filepath.Join(in, lib), "programs/"+lib, strip); err != nil {
				return err
			}
		}
	}
	for _, p := range programs {
		dir := filepath.Join(in, "programs", filepath.FromSlash(p.Name))
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(in, file)
			if err != nil {
				return err
			}
			name := "programs/" + filepath.ToSlash(rel)
			switch {
			case d.IsDir(): // empty ones are needed
				return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
			case slices.Contains([]string{"irgl.log", "nvcc.log"}, d.Name()) && filepath.Dir(file) == dir:
				return nil
			}
			return addFile(ctx, t, file, name, strip)
		})
		if err != nil {
			return err
		}
	}
	return t.Close()
}

// addFile adds a file, without its symbols if it is a program.
func addFile(ctx context.Context, t *tar.Writer, file, name, strip string) error {
	mode := int64(0o644)
	if linked(file) {
		mode = 0o755
		stripped, err := os.CreateTemp("", "programs-*")
		if err != nil {
			return err
		}
		defer os.Remove(stripped.Name())
		if err := stripped.Close(); err != nil {
			return err
		}
		if out, err := exec.CommandContext(ctx, strip, "-o", stripped.Name(), file).CombinedOutput(); err != nil {
			return fmt.Errorf("strip %s: %w: %s", file, err, strings.TrimSpace(string(out)))
		}
		file = stripped.Name()
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: st.Size()}); err != nil {
		return err
	}
	_, err = io.Copy(t, f)
	return err
}
