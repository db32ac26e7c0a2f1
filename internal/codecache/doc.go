// Package codecache keeps compiled code on disk for later processes of the same user:
// the machine code that a GPU's driver has linked of PTX and a library.
//
//	c := codecache.User()
//	key := codecache.KeyOf(ptx, driver, device) // everything that the code depends on
//	code := c.Get(key)
//	if code == nil {
//		code = compile()
//		c.Put(key, code)
//	}
//
// An entry is a file named by its key, whose first 32 bytes are the SHA-256 of the key
// and the code. One that is damaged or truncated is removed and not returned. Entries
// appear whole, by one rename, so that several processes may write the same one. The
// cache has a limit in bytes: the entries that were not used for the longest time are
// removed first.
//
// The folder is irgl/cuda below the user's folder for caches, which nobody else may write
// to. A cache only saves time: where there is no such folder, or its disk is full, Get
// finds nothing and Put does nothing.
package codecache
