package codecache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"irgl/internal/atomicfile"
)

// A Cache is a folder of entries.
type Cache struct {
	dir   string // "" for none: nothing is kept
	limit int64  // bytes in all
}

// limit is that of the user's cache. Machine code takes about four bytes a byte of PTX:
// this is some hundreds of programs with their switches.
const limit = 256 << 20

// User returns the user's cache, which is empty for ever where there is no folder for it.
var User = sync.OnceValue(func() *Cache {
	base, err := os.UserCacheDir()
	if err != nil || !filepath.IsAbs(base) {
		return new(Cache)
	}
	return At(filepath.Join(base, "irgl", "cuda"), limit)
})

// At returns the cache in a folder, which is made if need be, with a limit in bytes.
func At(dir string, limit int64) *Cache {
	if os.MkdirAll(dir, 0o700) != nil {
		return new(Cache)
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !private(info) {
		return new(Cache)
	}
	return &Cache{dir, limit}
}

// A Key names an entry.
type Key [sha256.Size]byte

// KeyOf returns the key of code that depends on all of the parts, in this order.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p))))
		io.WriteString(h, p)
	}
	return Key(h.Sum(nil))
}

// suffix is that of the names of entries.
const suffix = ".code"

func (c *Cache) path(k Key) string { return filepath.Join(c.dir, hex.EncodeToString(k[:])+suffix) }

// sum is what an entry begins with.
func sum(k Key, code []byte) []byte {
	h := sha256.New()
	h.Write(k[:])
	h.Write(code)
	return h.Sum(nil)
}

// Get returns the code of an entry, nil for none.
func (c *Cache) Get(k Key) []byte {
	if c.dir == "" {
		return nil
	}
	path := c.path(k)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if len(content) <= sha256.Size || !bytes.Equal(content[:sha256.Size], sum(k, content[sha256.Size:])) {
		c.Drop(k)
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // for trim; an entry of a read-only folder is as good
	return content[sha256.Size:]
}

// Put makes an entry, in place of the one there may be. Code that takes more than a
// quarter of the cache is not kept.
func (c *Cache) Put(k Key, code []byte) {
	size := int64(sha256.Size + len(code))
	if c.dir == "" || len(code) == 0 || size > c.limit/4 {
		return
	}
	c.trim(size)
	path := c.path(k)
	// An entry that cannot be written is one that is not there.
	_ = atomicfile.Write(context.Background(), path, func(w io.Writer) error {
		if _, err := w.Write(sum(k, code)); err != nil {
			return err
		}
		_, err := w.Write(code)
		return err
	})
}

// Drop removes an entry, for a caller who cannot use it.
func (c *Cache) Drop(k Key) {
	if c.dir != "" {
		_ = os.RemoveAll(c.path(k))
	}
}

// staleAfter is the age from which a file that is not an entry is what a process left
// that ended while it wrote one.
const staleAfter = time.Hour

// trim removes stale files, and entries until there is room for more bytes.
func (c *Cache) trim(more int64) {
	list, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var entries []fs.FileInfo
	total := more
	for _, e := range list {
		info, err := e.Info()
		switch {
		case err != nil: // another process has removed it
		case strings.HasSuffix(e.Name(), suffix) && !strings.HasPrefix(e.Name(), "."):
			entries = append(entries, info)
			total += info.Size()
		case time.Since(info.ModTime()) > staleAfter:
			_ = os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, e := range entries {
		if total <= c.limit {
			return
		}
		if os.RemoveAll(filepath.Join(c.dir, e.Name())) == nil {
			total -= e.Size()
		}
	}
}
