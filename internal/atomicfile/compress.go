package atomicfile

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// WriteCompressed is Write, but compresses what write gives if the path ends in .gz
// or .zst.
func WriteCompressed(ctx context.Context, path string, write func(io.Writer) error) error {
	return Write(ctx, path, func(w io.Writer) error { return compress(w, filepath.Ext(path), write) })
}

// compress calls write with the compressor for a file extension.
func compress(w io.Writer, ext string, write func(io.Writer) error) error {
	var z io.WriteCloser
	switch strings.ToLower(ext) {
	case ".gz":
		z = gzip.NewWriter(w)
	case ".zst":
		e, err := zstd.NewWriter(w)
		if err != nil {
			return err
		}
		z = e
	default:
		return write(w)
	}
	return errors.Join(write(z), z.Close())
}
