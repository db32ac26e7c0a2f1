// Package suggest finds the name that was probably meant when a user wrote
// one that does not exist.
//
// [Nearest] compares by edit distance (insertions, deletions, substitutions,
// and swaps of neighbours), without regard to case, and gives up when too much
// differs for a guess to help:
//
//	suggest.Nearest("bsf", []string{"bfs", "cc"})   // "bfs", true
//	suggest.Nearest("xyz", []string{"bfs", "cc"})   // "", false
//
// [Hint] wraps the answer in words for an error message.
package suggest
