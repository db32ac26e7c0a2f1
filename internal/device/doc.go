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
// The methods of a Device queue work in its default stream: a launch returns at
// once, copies and Sync wait for what is queued before them. [Device].NewStream
// makes further orders of work ([Stream]), as CUDA's streams are; [Event]s order
// streams of one or of several devices:
//
//	s, err := dev.NewStream(device.StreamOptions{})
//	err = s.CopyIn(p, pinned.Bytes()) // of AllocHost: does not wait
//	err = s.Record(e)
//	err = t.Wait(e)                   // t, of this or another device, goes on after the copy
//
// An error in a kernel (an illegal address, a trap) is reported by the next call
// that waits, on any stream of the device.
//
// Several devices may be open at once: nothing here is global. Kernels address
// the memory of another device after [Device].EnablePeer, and [Stream].CopyPeer
// copies between two. Emulated devices are peers when they were opened together.
// A Device, with its streams, events and modules, must not be used by two
// goroutines at a time; different devices may.
package device
