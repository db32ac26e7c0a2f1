package builtin

const (
	inPlaceOfStreams = "the host evaluator has the default stream only"
	synchronously    = "call the form without Async"
	ordinaryMemory   = "use malloc, or cudaMalloc and cudaMemcpy"
)

// runtimeCalls is the part of the CUDA runtime API that host code uses. A symbol
// is given as a pointer here; SymbolCall accepts the variable itself.
var runtimeCalls = [...]group{
	{names: "cudaMalloc", Row: Row{Rule: PtrPtrCall, Forms: []string{"i(**v,m)"}, Host: true, CUDAOnly: true, Effects: Runtime | Allocates, Engines: HostEval}},
	{names: "cudaMallocManaged", Row: Row{Rule: PtrPtrCall, Forms: []string{"i(**v,m)", "i(**v,m,u)"}, Host: true, CUDAOnly: true, Effects: Runtime | Allocates, Instead: ordinaryMemory}},
	{names: "cudaMallocHost", Row: Row{Rule: PtrPtrCall, Forms: []string{"i(**v,m)"}, Host: true, CUDAOnly: true, Effects: Runtime | Allocates, Instead: ordinaryMemory}},
	{names: "cudaFree", Row: Row{Forms: []string{"i(*v)"}, Host: true, CUDAOnly: true, Effects: Runtime | Allocates, Engines: HostEval}},
	{names: "cudaFreeHost", Row: Row{Forms: []string{"i(*v)"}, Host: true, CUDAOnly: true, Effects: Runtime | Allocates, Instead: ordinaryMemory}},
	{names: "cudaMemcpy", Row: Row{Forms: []string{"i(*v,#v,m,i)"}, Host: true, CUDAOnly: true, Effects: Runtime | Reads | Writes, Engines: HostEval}},
	{names: "cudaMemcpyAsync", Row: Row{Forms: []string{"i(*v,#v,m,i)", "i(*v,#v,m,i,*S)"}, Host: true, CUDAOnly: true, Effects: Runtime | Reads | Writes, Instead: synchronously}},
	{names: "cudaMemset", Row: Row{Forms: []string{"i(*v,i,m)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaMemsetAsync", Row: Row{Forms: []string{"i(*v,i,m)", "i(*v,i,m,*S)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Instead: synchronously}},
	{names: "cudaMemcpyToSymbol cudaMemcpyFromSymbol", Row: Row{Rule: SymbolCall, Forms: []string{"i(*v,#v,m)", "i(*v,#v,m,m)", "i(*v,#v,m,m,i)"}, Host: true, CUDAOnly: true,
		Effects: Runtime | Reads | Writes, Engines: HostEval}},
	{names: "cudaGetSymbolAddress", Row: Row{Rule: SymbolCall, Forms: []string{"i(**v,*v)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaDeviceSynchronize", Row: Row{Forms: []string{"i()"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaGetLastError cudaPeekAtLastError", Row: Row{Forms: []string{"i()"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaDeviceReset", Row: Row{Forms: []string{"i()"}, Host: true, CUDAOnly: true, Effects: Runtime, Instead: "the end of the run frees all memory"}},
	{names: "cudaGetErrorString cudaGetErrorName", Row: Row{Forms: []string{"#c(i)"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaSetDevice", Row: Row{Forms: []string{"i(i)"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaGetDevice", Row: Row{Forms: []string{"i(*i)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaDeviceGetAttribute", Row: Row{Forms: []string{"i(*i,i,i)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaOccupancyMaxActiveBlocksPerMultiprocessor", Row: Row{Rule: KernelCall, Forms: []string{"i(*i,#v,i,m)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaOccupancyMaxActiveClusters", Row: Row{Rule: KernelCall, Forms: []string{"i(*i,#v,#G)"}, Host: true, CUDAOnly: true, Effects: Runtime | Writes, Engines: HostEval}},
	{names: "cudaFuncSetAttribute", Row: Row{Rule: KernelCall, Forms: []string{"i(#v,i,i)"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaLaunchCooperativeKernel", Row: Row{Rule: KernelCall, Forms: []string{"i(#v,D,D,**v)", "i(#v,D,D,**v,m)", "i(#v,D,D,**v,m,*S)"}, Host: true, CUDAOnly: true, Effects: Runtime, Engines: HostEval}},
	{names: "cudaStreamSynchronize cudaStreamDestroy", Row: Row{Forms: []string{"i(*S)"}, Host: true, CUDAOnly: true, Effects: Runtime, Instead: inPlaceOfStreams}},
	{names: "cudaStreamCreate", Row: Row{Forms: []string{"i(**S)"}, Host: true, CUDAOnly: true, Effects: Runtime, Instead: inPlaceOfStreams}},
}

// runtimeNames are the types and constants of the CUDA runtime API.
var runtimeNames = [...]group{
	{names: "cudaError_t cudaMemcpyKind cudaDeviceAttr", Row: Row{Kind: Type, Of: "i", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaStream_t", Row: Row{Kind: Type, Of: "*S", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaEvent_t", Row: Row{Kind: Type, Of: "*E", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaLaunchConfig_t", Row: Row{Kind: Type, Of: "G", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaSuccess cudaMemcpyHostToHost", Row: Row{Kind: Const, Of: "i", Value: "0", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaErrorInvalidValue cudaMemcpyHostToDevice cudaDevAttrMaxThreadsPerBlock", Row: Row{Kind: Const, Of: "i", Value: "1", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaErrorMemoryAllocation cudaMemcpyDeviceToHost", Row: Row{Kind: Const, Of: "i", Value: "2", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaMemcpyDeviceToDevice", Row: Row{Kind: Const, Of: "i", Value: "3", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaMemcpyDefault", Row: Row{Kind: Const, Of: "i", Value: "4", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrMaxSharedMemoryPerBlock", Row: Row{Kind: Const, Of: "i", Value: "8", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrWarpSize", Row: Row{Kind: Const, Of: "i", Value: "10", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaFuncAttributeNonPortableClusterSizeAllowed", Row: Row{Kind: Const, Of: "i", Value: "14", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrMultiProcessorCount", Row: Row{Kind: Const, Of: "i", Value: "16", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrMaxThreadsPerMultiProcessor", Row: Row{Kind: Const, Of: "i", Value: "39", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrComputeCapabilityMajor", Row: Row{Kind: Const, Of: "i", Value: "75", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrComputeCapabilityMinor", Row: Row{Kind: Const, Of: "i", Value: "76", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrCooperativeLaunch", Row: Row{Kind: Const, Of: "i", Value: "95", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaErrorInvalidDevice", Row: Row{Kind: Const, Of: "i", Value: "101", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
	{names: "cudaDevAttrClusterLaunch", Row: Row{Kind: Const, Of: "i", Value: "120", Host: true, Device: true, CUDAOnly: true, Engines: HostEval | DeviceGen}},
}
