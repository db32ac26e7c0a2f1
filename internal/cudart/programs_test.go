//go:build linux

package cudart

// backends says what a test of the program runs on.
type backends int

const (
	onSimt backends = 1 << iota
	onDriver
)

// programs are the tests of testdata/program/main.cpp that print nothing to standard error, and
// what they print on which backend.
var programs = []struct {
	name   string
	on     backends
	env    string
	stdout string
}{
	{"vector_add", onSimt | onDriver, "", "0 wrong\n"},
	{"symbols", onSimt | onDriver, "", `
1 2 3 5, counter 6, 16 bytes
cudaMemcpyToSymbol(factors, f, 20): cudaErrorInvalidValue
cudaMemcpyToSymbol(v, f, 4): cudaErrorInvalidSymbol
cudaMemcpyToSymbol(factors, f, 4, 0, cudaMemcpyDeviceToHost): cudaErrorInvalidMemcpyDirection
`},
	{"named", onSimt | onDriver, "", `
7 7, same 1, 16 bytes
total 7
no
cudaMemcpyToSymbol("facto", f, 4): cudaErrorInvalidSymbol
cudaGetSymbolSize(&size, "factors2"): cudaErrorInvalidSymbol
`},
	{"graph_nodes", onSimt | onDriver, "", `
5 nodes, 1 root, the set 1
65546 21, 2 calls
15, 3 calls
cudaGraphInstantiate(&other, graph, 0): cudaErrorInvalidValue
cudaGraphAddKernelNode(&kernel, graph, twice, 2, &k): cudaErrorInvalidValue
cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k): cudaErrorInvalidConfiguration
cudaGraphLaunch(exec, nullptr): cudaErrorInvalidValue
cudaGraphDestroy(graph): cudaErrorInvalidValue
`},
	{"graph_capture", onSimt | onDriver, "", `
4 nodes, status 1, nothing has run: 0
1 18
16843010 110
cudaStreamEndCapture(s, &graph): cudaErrorIllegalState
cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal): cudaErrorStreamCaptureUnsupported
cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal): cudaErrorIllegalState
cudaStreamSynchronize(s): cudaErrorStreamCaptureUnsupported
cudaMemsetAsync(a, 0, 4, s): cudaErrorStreamCaptureInvalidated
cudaStreamEndCapture(s, &graph): cudaErrorStreamCaptureInvalidated
cudaMemcpy(out, a, 4, cudaMemcpyDeviceToHost): cudaErrorStreamCaptureImplicit
cudaStreamEndCapture(s, &graph): cudaErrorStreamCaptureInvalidated
cudaEventSynchronize(fork): cudaErrorCapturedEvent
cudaStreamEndCapture(s, &graph): cudaErrorStreamCaptureUnjoined
`},
	{"managed", onSimt | onDriver, "", `
total 2117
a[63] 126
a[63] 0
copy 2117
type 3, same 1
pinned 8
cudaFreeHost(pinned): cudaErrorInvalidValue
`},
	{"visible", onSimt | onDriver, "", "4 1 18 1 3\n"},
	{"streams", onSimt | onDriver, "", `
2 8, host function called
time fine
cudaStreamQuery(t): cudaSuccess
cudaEventQuery(end): cudaSuccess
cudaEventRecord(end, s): cudaErrorInvalidResourceHandle
cudaStreamSynchronize(s): cudaErrorInvalidResourceHandle
cudaStreamDestroy(nullptr): cudaErrorInvalidResourceHandle
`},
	{"copies", onSimt | onDriver, "", `
pitch 512, 2D 0
3D 0
big 0
set 4 3 4 3
cudaMemcpy(q, in, 4, cudaMemcpyHostToHost): cudaErrorInvalidValue
cudaMemcpy(in, out, 4, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaMemcpy(reinterpret_cast<char *>(q) + n - 2, in, 4, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaMemcpy(q, in, 4, static_cast<cudaMemcpyKind>(7)): cudaErrorInvalidMemcpyDirection
cudaMemcpy2D(p, 4, in, 20, 20, 2, cudaMemcpyHostToDevice): cudaErrorInvalidPitchValue
`},
	{"arrays", onSimt | onDriver, "", `
2D 0
0 1 2 0 1 2 5 6 5 6 7 10 11 13 14 and 1 2 0 5 6 5
layers 0
graph 0
cudaMemcpy2DToArray(a, 4, 0, in, sizeof in[0], sizeof in[0], 1, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaMemcpy2DToArray(a, 0, 1, in, sizeof in[0], sizeof in[0], 3, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaMemcpy2DToArray(a, 0, 0, in, 4, sizeof in[0], 2, cudaMemcpyHostToDevice): cudaErrorInvalidPitchValue
cudaMemcpy2DToArray(a, 0, 0, in, sizeof in[0], sizeof in[0], 1, cudaMemcpyDeviceToHost): cudaErrorInvalidValue
cudaMemcpy2DToArray(a, 0, 0, nullptr, sizeof in[0], sizeof in[0], 1, cudaMemcpyHostToDevice): cudaErrorInvalidValue
cudaFreeArray(b): cudaErrorInvalidValue
cudaMemcpy3D(&parms): cudaErrorInvalidValue
cudaFreeArray(a): cudaErrorInvalidValue
`},
	{"textures", onSimt | onDriver, "", `
same 1
cudaCreateTextureObject(&u, &r, &desc, nullptr): cudaErrorInvalidFilterSetting
cudaDestroyTextureObject(u): cudaErrorInvalidValue
cudaDestroySurfaceObject(t): cudaErrorInvalidValue
cudaCreateSurfaceObject(&s, &linear): cudaErrorInvalidValue
cudaCreateTextureObject(&u, &linear, &desc, nullptr): cudaErrorInvalidChannelDescriptor
cudaCreateTextureObject(&u, &linear, &desc, nullptr): cudaErrorInvalidValue
cudaMallocArray(&none, &three, 4, 4): cudaErrorInvalidChannelDescriptor
cudaMallocArray(&none, &d, 0, 4): cudaErrorInvalidValue
cudaCreateTextureObject(&s, &r, &desc, nullptr): cudaErrorInvalidResourceHandle
cudaDestroyTextureObject(t): cudaErrorInvalidValue
`},
	{"mixed", onSimt, "MIXED=1", `
cudaMallocArray(&a, &d, 4, 4): cudaSuccess
cudaCreateTextureObject(&t, &r, &desc, nullptr): cudaSuccess
`},
	{"mixed", onDriver, "MIXED=1", `
cudaMallocArray(&a, &d, 4, 4): cudaErrorNotSupported
cudaCreateTextureObject(&t, &r, &desc, nullptr): cudaErrorNotSupported
`},
	{"offsets", onSimt, "", `
0 0 0
cudaBindTexture(nullptr, &ref, p + 16, &d, 100): cudaSuccess
cudaBindTexture2D(nullptr, &ref, p + 16, &d, 4, 4, 512): cudaSuccess
`},
	{"offsets", onDriver, "", `
0 16 16
cudaBindTexture(nullptr, &ref, p + 16, &d, 100): cudaErrorInvalidValue
cudaBindTexture2D(nullptr, &ref, p + 16, &d, 4, 4, 512): cudaErrorInvalidValue
`},
	{"errors", onSimt, "", `
cudaFree(p + 1): cudaErrorInvalidValue
cudaFree(p): cudaErrorInvalidValue
cudaGetLastError(): cudaErrorInvalidValue
cudaGetLastError(): cudaSuccess
cudaMalloc(&much, size_t{1} << 50): cudaErrorMemoryAllocation
cudaPeekAtLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorInvalidConfiguration
cudaGetLastError(): cudaErrorLaunchOutOfResources
cudaGetLastError(): cudaErrorInvalidValue
cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20): cudaErrorInvalidValue
cudaGetLastError(): cudaErrorMissingConfiguration
cudaLaunchKernel(reinterpret_cast<const void *>(&errors), dim3(1), dim3(1), nullptr, 0, nullptr): cudaErrorInvalidDeviceFunction
cudaLaunchCooperativeKernel(bounded, dim3(100000), dim3(64), args): cudaErrorCooperativeLaunchTooLarge
cudaSetDevice(7): cudaErrorInvalidDevice
cudaHostUnregister(p): cudaErrorHostMemoryNotRegistered
an illegal memory access was encountered | unrecognized error code | unrecognized error code
`},
	{"about", onSimt, "", `
1 devices, SIMT emulator, 9.0, warp 32, 4 SMs 4, clock 1
occupancy 2, 8 of 1024
bounded: 64 threads, 4096 bytes shared
memory 1048576
version 13000
structs 4.5
cudaFree(p): cudaErrorInvalidValue
`},
	{"about", onDriver, "", `
2 devices, Fake 0, 9.0, warp 32, 4 SMs 4, clock 1
occupancy 2, 8 of 1024
bounded: 64 threads, 4096 bytes shared
memory 1048632
version 13000
structs 4.5
cudaFree(p): cudaErrorInvalidValue
`},
	{"printing", onSimt, "", "before\nthread 0 of 2\nthread 1 of 2\nafter\nthread 0 of 1\n"},
	{"threads", onSimt | onDriver, "", "0 wrong\n"},
	{"launching", onSimt | onDriver, "", "20 10 11 21 and 8\n"},
	{"halves", onSimt, "", "0 wrong\n3c00 c100 7bff 7bff 7c00 7c00 0001 0000 0001 3c00 3c02 03ff 3f80 7f80 7f7f 3f80 3f82 0001 11 2 5\n"},
	{"forking", onSimt | onDriver, "", "child 7\nother 0\n"},
	{"early", onSimt | onDriver, "EARLY=1", "early 6\ndestructor: cudaSuccess\n"},
	{"peers", onSimt | onDriver, "IRGL_SIMT=devices=2", `
cudaDeviceEnablePeerAccess(0, 0): cudaErrorPeerAccessAlreadyEnabled
2 devices, peers 1: 2 8
`},
	// The emulator prints the error too: TestFaults.
	{"fault", onDriver, "", faultStdout},
}

const faultStdout = `
cudaGetLastError(): cudaSuccess
cudaDeviceSynchronize(): cudaErrorIllegalAddress
cudaMalloc(&p, 16): cudaErrorIllegalAddress
cudaGetLastError(): cudaErrorIllegalAddress
cudaGetLastError(): cudaErrorIllegalAddress
cudaMalloc(&p, 16): cudaSuccess
`
