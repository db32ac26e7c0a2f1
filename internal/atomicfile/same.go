package atomicfile

import (
	"context"
	"fmt"
	"io"
	"os"
)

// KeepInput returns an error if output, as a flag names it, is the regular file of one of the inputs.
// Inputs that are no files are left to those that read them.
func KeepInput(flag, output string, inputs ...string) error {
	out, err := os.Stat(output)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(out, in) {
			return fmt.Errorf("%s %s: is the input file %s", flag, output, input)
		}
	}
	return nil
}

// Move moves the regular file from to the place to, which may be in another file system and has the old
// file or the new one, and nothing between. What is no regular file, such as /dev/null, is written to.
func Move(ctx context.Context, from, to string) error {
	old, err := os.Stat(to)
	if (err != nil || old.Mode().IsRegular()) && os.Rename(from, to) == nil {
		return nil
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	err = Write(ctx, to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	if now, serr := os.Stat(to); err == nil && serr == nil && now.Mode().IsRegular() {
		err = os.Chmod(to, st.Mode().Perm())
	}
	return err
}
