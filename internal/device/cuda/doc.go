// Package cuda runs kernels on an NVIDIA GPU through the driver's own library,
// libcuda.so.1 (nvcuda.dll on Windows), and nothing else: no CUDA toolkit, no
// C compiler, no cgo. It implements [device.Device]:
//
//	d, err := cuda.Open(0)
//	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
//		// run on the CPU instead
//	}
//	defer d.Close()
//	m, err := d.Load("bfs.ptx", text)
//
// Nothing is opened before [Open] or [List] is called. Builds with the tag
// nogpu, and builds for systems without an NVIDIA driver (darwin), contain no
// trace of it and return [ErrNoDriver].
//
// # Contexts and threads
//
// Each device has a context of its own rather than the primary one, so that
// closing it gives back everything and touches no other user of the GPU in the
// process. The driver binds the current context to an operating-system thread,
// and a goroutine may change threads between any two calls; so every method
// locks its goroutine to its thread, makes the context current, works, and
// unlocks. That costs about 0.13 µs a call. A thread of the device's own would
// cost a hand-off between goroutines each way, many times as much.
//
// # Order and waiting
//
// All work goes to one stream. CopyIn returns when the source may be changed,
// CopyOut when the data are there, Launch and Fill at once. Sync polls: without
// pause at first, so that a loop of short kernels loses no time, then at
// growing intervals up to a millisecond. When its context ends, Sync returns at
// once, but a kernel cannot be stopped: it runs on, and every later call that
// waits (CopyOut, Sync, Free, Close) waits for it too.
//
// # Errors
//
// Every result of the driver is checked; an [Error] names the call and the
// driver's code. An error inside a kernel shows at the next call that waits,
// names the kernels that were launched since the last one, and makes the
// device unusable: every later call but Close fails with the same cause. The
// driver goes further. After an illegal address it refused every new context of
// the process as well (seen with CUDA 13.0 on an H200), so a program that wants
// to go on has to start a new process; [Open] then returns that error, and so
// do other open devices, which may blame their own last kernels for it.
//
// # Clusters
//
// A kernel whose text gives its clusters a size is launched in such clusters,
// cooperatively or not, on GPUs of compute capability 9.0 or later with a driver of
// CUDA 11.8 or later; sizes over 8 are allowed when the kernel is loaded.
//
// # Compilation
//
// Load hands PTX text to the driver's compiler, and a refusal holds its log and
// the lines that the log names. The driver keeps compiled code in a cache on
// disk (~/.nv/ComputeCache; CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE and
// CUDA_CACHE_DISABLE change it), so this package has none.
package cuda
