// Package memory says how much memory this process may use, so that a size that
// comes from a file's header or from the command line can be refused before the
// operating system ends the process.
//
//	if need > memory.Limit() {
//		return fmt.Errorf("%s are needed, and this machine has %s", memory.Format(need), memory.Format(memory.Limit()))
//	}
//
// The limit is the smallest of the machine's memory, the limits of the control
// group, the address space (ulimit -v) and data (ulimit -d), and GOMEMLIMIT. On systems
// other than Linux only the last is known. The package reports; it reserves
// nothing and refuses nothing itself.
package memory
