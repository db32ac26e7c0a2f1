// Package cuda runs kernels on an NVIDIA GPU through the driver's own library,
// libcuda.so.1 (nvcuda.dll on Windows), and nothing else: no CUDA toolkit, no C
// compiler, no cgo. It implements [device.Device]:
//
//	d, err := cuda.Open(0)
//	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
//		// run on the CPU instead
//	}
//	defer d.Close()
//	m, err := d.Load("bfs.ptx", text)
//
// Nothing is opened before [Open] or [List] is called. Builds with the tag nogpu,
// and builds for systems without an NVIDIA driver (darwin), contain no trace of it
// and return [ErrNoDriver].
//
// # Contexts and threads
//
// Each device has a context of its own, so that closing it gives back everything
// and touches no other user of the GPU in the process; or, with [Options].Primary,
// it shares the primary context, in which the pointers of the CUDA runtime and of
// libraries above it are valid. The driver binds the current context to an
// operating-system thread, and a goroutine may change threads between any two
// calls; so every method locks its goroutine to its thread, makes the context
// current, works, and unlocks. That costs about 0.13 µs a call. A thread of the
// device's own would cost two hand-offs between goroutines, many times as
// much.
//
// # Order and waiting
//
// The default stream is a stream of the device's own until the first blocking
// stream is made; from then on it is the context's legacy default stream, which the
// driver orders with blocking streams. Launches, fills and copies between device
// memory return at once. A copy of ordinary host memory returns when the source may
// be changed, or the data are there; a stream's copy of memory from AllocHost,
// which is page-locked for all devices and mapped, returns at once. New memory is
// filled with zeros in a stream of its own, for whose event all streams wait.
//
// Sync and its like poll: without pause at first, so that a loop of short kernels
// loses no time, then at growing intervals up to a millisecond. When its context
// ends, Sync returns at once, but a kernel cannot be stopped: it runs on, and every
// later call that waits (CopyOut, Sync, Free, Close) waits for it too.
//
// # Several GPUs
//
// EnablePeer maps the other GPU's memory where the driver can
// (cuDeviceCanAccessPeer); CopyPeer works between any two, through the host if it
// must. Two devices opened on one GPU have contexts of their own, which are no
// peers, unless both use the primary one, where all memory is common.
//
// # Errors
//
// Every result of the driver is checked; an [Error] names the call and the driver's
// code. An error inside a kernel is reported by the next call that waits, on any
// stream, names the kernels that were launched since the last wait for all streams,
// and makes the device unusable: every later call but Close fails with the same
// cause. The driver goes further. After an illegal address it refused every new
// context of the process as well (seen with CUDA 13.0 on an H200), so a program
// that wants to go on has to start a new process; [Open] then returns that error,
// and so do other open devices, which may blame their own last kernels for it.
//
// # Clusters
//
// A kernel whose text gives its clusters a size is launched in such clusters,
// cooperatively or not, on GPUs of compute capability 9.0 or later with a driver of
// CUDA 11.8 or later; sizes over 8 are allowed when the kernel is loaded.
//
// # Compilation
//
// Load hands PTX text to the driver's compiler, and a refusal holds its log and the
// lines that the log names. The driver keeps compiled code in a cache on disk
// (~/.nv/ComputeCache; CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE and CUDA_CACHE_DISABLE
// change it), but not what its linker makes: that is kept in [Options].Cache, by a hash of the
// text, the library, the driver, the GPU and the options. Code that the driver refuses is
// made again.
package cuda
