package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// Write calls write with a writer to the file at path. When write fails, or ctx
// is done by the end, the error is returned and the file is as before.
func Write(ctx context.Context, path string, write func(io.Writer) error) error {
	mode := os.FileMode(0o666)
	named := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if st, err := os.Stat(path); err == nil {
		switch {
		case st.IsDir():
			return fmt.Errorf("%s is a directory", path)
		case !st.Mode().IsRegular():
			return writeThrough(ctx, path, st.Mode(), write)
		}
		mode = st.Mode().Perm()
	}
	d, err := newDraft(path, mode)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s", named, filepath.Dir(path))
	case err != nil:
		return renamed(err, named)
	}
	err = errors.Join(renamed(write(&namedWriter{d.f, named}), named), ctx.Err())
	if err == nil {
		err = renamed(d.publish(path), named)
	}
	return errors.Join(err, renamed(d.discard(), named))
}

// A draft is the new file before it has its name.
type draft struct {
	f    *os.File
	name string // "" as long as it has none
}

// newDraft returns a draft for the file at path: one without a name where the system
// has such files, so that nothing is left when the process is killed, or else one
// beside it whose name says what it is.
func newDraft(path string, mode os.FileMode) (*draft, error) {
	if f := openUnnamed(filepath.Dir(path), mode); f != nil {
		return &draft{f: f}, nil
	}
	name := draftName(path)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &draft{f, name}, nil
}

// draftName returns a new name beside path. A leading dot hides the file from
// patterns such as *.txt.
func draftName(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".irgl-%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
}

// publish closes the draft and makes it the file at path.
func (d *draft) publish(path string) error {
	if d.name == "" {
		name := draftName(path)
		if err := linkUnnamed(d.f, name); err != nil {
			return err
		}
		d.name = name
	}
	if err := d.f.Close(); err != nil {
		return err
	}
	if err := os.Rename(d.name, path); err != nil {
		return err
	}
	d.name = ""
	return nil
}

// discard closes the draft and removes it, unless it was published.
func (d *draft) discard() error {
	_ = d.f.Close() // a file that was published is closed already, and one that was not is not wanted
	if d.name == "" {
		return nil
	}
	return os.Remove(d.name)
}

// renamed puts the path that the caller knows in place of the draft's in an error.
func renamed(err error, path string) error {
	if e, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := err.(*os.LinkError); ok {
		return &fs.PathError{Op: "write", Path: path, Err: e.Err}
	}
	return err
}

// A namedWriter writes to a draft; its errors name the file that it will be.
type namedWriter struct {
	w    io.Writer
	path string
}

func (n *namedWriter) Write(b []byte) (int, error) {
	k, err := n.w.Write(b)
	return k, renamed(err, n.path)
}

// writeThrough writes to what is no regular file, such as a pipe or a terminal. To
// wait for the reader of a pipe, and for it to read, ends with ctx.
func writeThrough(ctx context.Context, path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := openThrough(ctx, path, mode)
	if err != nil {
		return err
	}
	// A device has no deadlines, and its writes do not wait.
	stop := context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now()) })
	defer stop()
	err = errors.Join(write(f), f.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
