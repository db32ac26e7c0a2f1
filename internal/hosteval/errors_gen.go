// Code generated from irgl_errors.h and irgl_emulator.h of internal/cudart/include by go test -run TestErrorTable -update; DO NOT EDIT.

package hosteval

const (
	cudaSuccess                          = 0
	cudaErrorInvalidValue                = 1
	cudaErrorMemoryAllocation            = 2
	cudaErrorInitializationError         = 3
	cudaErrorCudartUnloading             = 4
	cudaErrorProfilerDisabled            = 5
	cudaErrorProfilerNotInitialized      = 6
	cudaErrorProfilerAlreadyStarted      = 7
	cudaErrorProfilerAlreadyStopped      = 8
	cudaErrorInvalidConfiguration        = 9
	cudaErrorInvalidPitchValue           = 12
	cudaErrorInvalidSymbol               = 13
	cudaErrorInvalidHostPointer          = 16
	cudaErrorInvalidDevicePointer        = 17
	cudaErrorInvalidTexture              = 18
	cudaErrorInvalidTextureBinding       = 19
	cudaErrorInvalidChannelDescriptor    = 20
	cudaErrorInvalidMemcpyDirection      = 21
	cudaErrorSynchronizationError        = 25
	cudaErrorInvalidFilterSetting        = 26
	cudaErrorInvalidNormSetting          = 27
	cudaErrorMemoryValueTooLarge         = 32
	cudaErrorStubLibrary                 = 34
	cudaErrorInsufficientDriver          = 35
	cudaErrorInvalidSurface              = 37
	cudaErrorDuplicateVariableName       = 43
	cudaErrorDevicesUnavailable          = 46
	cudaErrorIncompatibleDriverContext   = 49
	cudaErrorMissingConfiguration        = 52
	cudaErrorPriorLaunchFailure          = 53
	cudaErrorLaunchMaxDepthExceeded      = 65
	cudaErrorSyncDepthExceeded           = 68
	cudaErrorLaunchPendingCountExceeded  = 69
	cudaErrorInvalidDeviceFunction       = 98
	cudaErrorNoDevice                    = 100
	cudaErrorInvalidDevice               = 101
	cudaErrorStartupFailure              = 127
	cudaErrorInvalidKernelImage          = 200
	cudaErrorDeviceUninitialized         = 201
	cudaErrorMapBufferObjectFailed       = 205
	cudaErrorUnmapBufferObjectFailed     = 206
	cudaErrorArrayIsMapped               = 207
	cudaErrorAlreadyMapped               = 208
	cudaErrorNoKernelImageForDevice      = 209
	cudaErrorAlreadyAcquired             = 210
	cudaErrorNotMapped                   = 211
	cudaErrorECCUncorrectable            = 214
	cudaErrorUnsupportedLimit            = 215
	cudaErrorDeviceAlreadyInUse          = 216
	cudaErrorPeerAccessUnsupported       = 217
	cudaErrorInvalidPtx                  = 218
	cudaErrorInvalidGraphicsContext      = 219
	cudaErrorNvlinkUncorrectable         = 220
	cudaErrorJitCompilerNotFound         = 221
	cudaErrorUnsupportedPtxVersion       = 222
	cudaErrorInvalidSource               = 300
	cudaErrorFileNotFound                = 301
	cudaErrorSharedObjectSymbolNotFound  = 302
	cudaErrorSharedObjectInitFailed      = 303
	cudaErrorOperatingSystem             = 304
	cudaErrorInvalidResourceHandle       = 400
	cudaErrorIllegalState                = 401
	cudaErrorSymbolNotFound              = 500
	cudaErrorNotReady                    = 600
	cudaErrorIllegalAddress              = 700
	cudaErrorLaunchOutOfResources        = 701
	cudaErrorLaunchTimeout               = 702
	cudaErrorLaunchIncompatibleTexturing = 703
	cudaErrorPeerAccessAlreadyEnabled    = 704
	cudaErrorPeerAccessNotEnabled        = 705
	cudaErrorSetOnActiveProcess          = 708
	cudaErrorContextIsDestroyed          = 709
	cudaErrorAssert                      = 710
	cudaErrorTooManyPeers                = 711
	cudaErrorHostMemoryAlreadyRegistered = 712
	cudaErrorHostMemoryNotRegistered     = 713
	cudaErrorHardwareStackError          = 714
	cudaErrorIllegalInstruction          = 715
	cudaErrorMisalignedAddress           = 716
	cudaErrorInvalidAddressSpace         = 717
	cudaErrorInvalidPc                   = 718
	cudaErrorLaunchFailure               = 719
	cudaErrorCooperativeLaunchTooLarge   = 720
	cudaErrorNotPermitted                = 800
	cudaErrorNotSupported                = 801
	cudaErrorSystemNotReady              = 802
	cudaErrorSystemDriverMismatch        = 803
	cudaErrorStreamCaptureUnsupported    = 900
	cudaErrorStreamCaptureInvalidated    = 901
	cudaErrorStreamCaptureMerge          = 902
	cudaErrorStreamCaptureUnmatched      = 903
	cudaErrorStreamCaptureUnjoined       = 904
	cudaErrorStreamCaptureIsolation      = 905
	cudaErrorStreamCaptureImplicit       = 906
	cudaErrorCapturedEvent               = 907
	cudaErrorStreamCaptureWrongThread    = 908
	cudaErrorTimeout                     = 909
	cudaErrorGraphExecUpdateFailure      = 910
	cudaErrorUnknown                     = 999
	cudaErrorApiFailureBase              = 10000
)

// A runtimeError is an error with its name and what cudaGetErrorString returns.
type runtimeError struct {
	number     uint64
	name, text string
}

// runtimeErrors are all errors.
var runtimeErrors = [...]runtimeError{
	{cudaSuccess, "cudaSuccess", "no error"},
	{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
	{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
	{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
	{cudaErrorCudartUnloading, "cudaErrorCudartUnloading", "driver shutting down"},
	{cudaErrorProfilerDisabled, "cudaErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
	{cudaErrorProfilerNotInitialized, "cudaErrorProfilerNotInitialized", "profiler not initialized: call cudaProfilerInitialize()"},
	{cudaErrorProfilerAlreadyStarted, "cudaErrorProfilerAlreadyStarted", "profiler already started"},
	{cudaErrorProfilerAlreadyStopped, "cudaErrorProfilerAlreadyStopped", "profiler already stopped"},
	{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
	{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
	{cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "invalid host pointer"},
	{cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
	{cudaErrorInvalidTexture, "cudaErrorInvalidTexture", "invalid texture reference"},
	{cudaErrorInvalidTextureBinding, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"},
	{cudaErrorInvalidChannelDescriptor, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
	{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	{cudaErrorSynchronizationError, "cudaErrorSynchronizationError", "synchronization error"},
	{cudaErrorInvalidFilterSetting, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
	{cudaErrorInvalidNormSetting, "cudaErrorInvalidNormSetting", "read as normalized float not supported for 32-bit non float type"},
	{cudaErrorMemoryValueTooLarge, "cudaErrorMemoryValueTooLarge", "kernel argument value too large"},
	{cudaErrorStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
	{cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
	{cudaErrorInvalidSurface, "cudaErrorInvalidSurface", "invalid surface reference"},
	{cudaErrorDuplicateVariableName, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"},
	{cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
	{cudaErrorIncompatibleDriverContext, "cudaErrorIncompatibleDriverContext", "incompatible driver context"},
	{cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
	{cudaErrorPriorLaunchFailure, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
	{cudaErrorLaunchMaxDepthExceeded, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
	{cudaErrorSyncDepthExceeded, "cudaErrorSyncDepthExceeded", "cudaDeviceSynchronize() failed because of insufficient sync depth"},
	{cudaErrorLaunchPendingCountExceeded, "cudaErrorLaunchPendingCountExceeded", "device runtime pending launch count limit exceeded"},
	{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
	{cudaErrorStartupFailure, "cudaErrorStartupFailure", "startup failure in cuda runtime"},
	{cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
	{cudaErrorDeviceUninitialized, "cudaErrorDeviceUninitialized", "invalid device context"},
	{cudaErrorMapBufferObjectFailed, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
	{cudaErrorUnmapBufferObjectFailed, "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"},
	{cudaErrorArrayIsMapped, "cudaErrorArrayIsMapped", "array is mapped"},
	{cudaErrorAlreadyMapped, "cudaErrorAlreadyMapped", "resource already mapped"},
	{cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
	{cudaErrorAlreadyAcquired, "cudaErrorAlreadyAcquired", "resource already acquired"},
	{cudaErrorNotMapped, "cudaErrorNotMapped", "resource not mapped"},
	{cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
	{cudaErrorUnsupportedLimit, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
	{cudaErrorDeviceAlreadyInUse, "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
	{cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
	{cudaErrorInvalidPtx, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
	{cudaErrorInvalidGraphicsContext, "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
	{cudaErrorNvlinkUncorrectable, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
	{cudaErrorJitCompilerNotFound, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
	{cudaErrorUnsupportedPtxVersion, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
	{cudaErrorInvalidSource, "cudaErrorInvalidSource", "device kernel image is invalid"},
	{cudaErrorFileNotFound, "cudaErrorFileNotFound", "file not found"},
	{cudaErrorSharedObjectSymbolNotFound, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
	{cudaErrorSharedObjectInitFailed, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
	{cudaErrorOperatingSystem, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
	{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	{cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
	{cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
	{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
	{cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
	{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	{cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
	{cudaErrorLaunchIncompatibleTexturing, "cudaErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"},
	{cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
	{cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
	{cudaErrorSetOnActiveProcess, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
	{cudaErrorContextIsDestroyed, "cudaErrorContextIsDestroyed", "context is destroyed"},
	{cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
	{cudaErrorTooManyPeers, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
	{cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
	{cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
	{cudaErrorHardwareStackError, "cudaErrorHardwareStackError", "hardware stack error"},
	{cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
	{cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
	{cudaErrorInvalidAddressSpace, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
	{cudaErrorInvalidPc, "cudaErrorInvalidPc", "invalid program counter"},
	{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
	{cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
	{cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
	{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
	{cudaErrorSystemNotReady, "cudaErrorSystemNotReady", "system not yet initialized"},
	{cudaErrorSystemDriverMismatch, "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"},
	{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
	{cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
	{cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge", "operation would have caused a merge of two independent capture sequences"},
	{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream"},
	{cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capture sequence contains a fork that was not joined to the primary stream"},
	{cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
	{cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
	{cudaErrorCapturedEvent, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
	{cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"},
	{cudaErrorTimeout, "cudaErrorTimeout", "wait operation timed out"},
	{cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
	{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
	{cudaErrorApiFailureBase, "cudaErrorApiFailureBase", "api failure base"},
}

// faultErrors are the errors of faults by their codes.
var faultErrors = map[string]uint64{
	"out-of-bounds": cudaErrorIllegalAddress,
	"misaligned":    cudaErrorMisalignedAddress,
	"assert":        cudaErrorAssert,
	"trap":          cudaErrorIllegalInstruction,
	"timeout":       cudaErrorLaunchTimeout,
	"deadlock":      cudaErrorLaunchTimeout,
}

// stickyErrors leave a device unusable until it is reset.
var stickyErrors = [...]uint64{
	cudaErrorIllegalAddress,
	cudaErrorLaunchTimeout,
	cudaErrorAssert,
	cudaErrorHardwareStackError,
	cudaErrorIllegalInstruction,
	cudaErrorMisalignedAddress,
	cudaErrorInvalidAddressSpace,
	cudaErrorInvalidPc,
	cudaErrorLaunchFailure,
	cudaErrorECCUncorrectable,
}

// emulatorOptionRanges are the options in IRGL_SIMT, with the least and the greatest value.
var emulatorOptionRanges = [...]struct {
	name        string
	least, most uint64
}{
	{"devices", 1, 16},
	{"seed", 0, 9223372036854775807},
	{"check", 0, 1},
	{"multiprocessors", 1, 1024},
	{"memory", 1, 4398046511104},
	{"instructions", 1, 9223372036854775807},
	{"leaks", 0, 1},
}

// deviceLimits are the limits of a device that no call has set, in the order of cudaLimit.
var deviceLimits = [...]uint64{
	1024,    // cudaLimitStackSize
	1048576, // cudaLimitPrintfFifoSize
	8388608, // cudaLimitMallocHeapSize
	2,       // cudaLimitDevRuntimeSyncDepth
	65536,   // cudaLimitDevRuntimePendingLaunchCount
	64,      // cudaLimitMaxL2FetchGranularity
	0,       // cudaLimitPersistingL2CacheSize
}

// The limits of a launch.
const (
	maxThreads    = 1024
	maxBlockXy    = 1024
	maxBlockZ     = 64
	maxGridX      = 2147483647
	maxGridYz     = 65535
	defaultShared = 49152
	optInShared   = 232448
)
