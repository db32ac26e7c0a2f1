package gogen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A cache holds built programs in a folder that only the user can read or write. An
// entry is an executable named KEY-SUM: a hash of what it was built from, and the
// SHA-256 of its content. The name of a whole and undamaged entry appears with one
// rename, so that several processes may build the same program at once.
type cache struct {
	dir   string
	limit int64 // bytes in all; the least recently used entries go first
}

const (
	cacheLimit = 512 << 20
	// staleAfter is the age from which what a builder left is that of a dead one.
	staleAfter = time.Hour
)

// openCache returns the user's cache, after checking that nobody else can have put
// something there.
func openCache() (*cache, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for the cache of built programs: %w", err)
	}
	if !filepath.IsAbs(base) {
		return nil, fmt.Errorf("no folder for the cache of built programs: %s, which HOME gives, is not an absolute path", base)
	}
	dir := filepath.Join(base, "irgl", "go")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("no folder for the cache of built programs: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !ownedByUser(info) {
		return nil, fmt.Errorf("the cache of built programs, %s, is not a folder of this user", dir)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, err
		}
	}
	return &cache{dir, cacheLimit}, nil
}

// lookup returns the path of the entry for a key, "" for none. What is damaged, or
// could be another user's, is removed.
func (c *cache) lookup(key string) string {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return ""
	}
	found := ""
	for _, e := range entries {
		if k, sum, ok := strings.Cut(e.Name(), "-"); !ok || k != key {
			continue
		} else if path := filepath.Join(c.dir, e.Name()); found == "" && intact(path, strings.TrimSuffix(sum, exeSuffix())) {
			found = path
		} else if found == "" {
			_ = os.RemoveAll(path)
		}
	}
	if found != "" {
		now := time.Now()
		_ = os.Chtimes(found, now, now) // for trim
	}
	return found
}

// intact reports whether the entry at path can be run and has the content that its
// name says.
func intact(path, sum string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !ownedByUser(info) || !private(info) || !executable(info) {
		return false
	}
	got, err := contentSum(path)
	return err == nil && got == sum
}

// contentSum returns the SHA-256 of a file, in hexadecimal.
func contentSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// build has the entry for a key built, and returns its path. compile puts the
// executable at out and may use the folder work.
func (c *cache) build(ctx context.Context, key string, compile func(work, out string) error) (string, error) {
	c.trim()
	work, err := os.MkdirTemp(c.dir, "build-")
	if err != nil {
		return "", fmt.Errorf("no folder to build in: %w", err)
	}
	defer os.RemoveAll(work)
	out := filepath.Join(work, "program"+exeSuffix())
	if err := compile(work, out); err != nil {
		return "", err
	}
	if err := os.Chmod(out, 0o700); err != nil {
		return "", err
	}
	if err := flush(out); err != nil {
		return "", err
	}
	sum, err := contentSum(out)
	if err != nil {
		return "", err
	}
	exe := filepath.Join(c.dir, key+"-"+sum+exeSuffix())
	if err := os.Rename(out, exe); err != nil && !intact(exe, sum) {
		// Something else has that name, such as a folder.
		if err := errors.Join(os.RemoveAll(exe), os.Rename(out, exe)); err != nil {
			return "", err
		}
	}
	_ = flush(c.dir) // the name; not every file system can
	return exe, ctx.Err()
}

// flush waits until a file or folder is on the disk.
func flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// trim removes what dead builders left, and the least recently used entries beyond
// the limit.
func (c *cache) trim() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process has removed it
		}
		name := e.Name()
		switch left := strings.HasPrefix(name, "build-") || strings.HasSuffix(name, ".tmp"); {
		case left && time.Since(info.ModTime()) > staleAfter:
			_ = os.RemoveAll(filepath.Join(c.dir, name))
		case !left:
			kept = append(kept, info)
			total += info.Size()
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if total <= c.limit {
			return
		}
		if os.RemoveAll(filepath.Join(c.dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
