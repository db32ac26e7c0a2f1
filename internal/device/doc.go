// Package device defines what the compiler's output runs on: a [Device] with
// memory, [Module]s loaded from PTX text, and [Kernel]s that are launched.
//
// Two implementations exist: device/cuda drives an NVIDIA GPU through its
// driver, and device/simt executes the PTX text warp by warp on the CPU. Both
// pass the conformance suite in devicetest. A caller works on addresses ([Ptr])
// as CUDA programs do:
//
//	p, err := dev.Alloc("graph.level", 4*n)
//	err = dev.CopyIn(p, bytes)
//	mod, err := dev.Load("bfs", ptxText)
//	k, err := mod.Kernel("BFS")
//	err = dev.Launch(k, device.Launch{Grid: device.Dim3{X: 132}, Block: device.Dim3{X: 256}, Params: params})
//	err = dev.Sync(ctx)
//	err = dev.CopyOut(bytes, p)
//
// Work on one Device is ordered as if on one CUDA stream: a launch returns at
// once, copies and Sync wait for everything before them. An error inside a
// kernel (an illegal address, a trap) is reported by the next call that waits.
// A Device must not be used by two goroutines at a time; several Devices may
// be open at once, since nothing here is global.
package device
