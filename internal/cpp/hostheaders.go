package cpp

import (
	"strings"
	"sync"
)

// hostHeaders are the headers of C, C++ and POSIX, and of CUDA's libraries for the host, by folder.
const hostHeaders = `
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h setjmp.h signal.h stdalign.h
stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
aio.h alloca.h arpa/inet.h byteswap.h cpio.h dirent.h dlfcn.h endian.h err.h error.h execinfo.h fcntl.h features.h fmtmsg.h fnmatch.h ftw.h getopt.h
glob.h grp.h iconv.h ifaddrs.h langinfo.h libgen.h malloc.h memory.h monetary.h mqueue.h ndbm.h net/if.h netdb.h netinet/in.h netinet/tcp.h nl_types.h
numa.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h spawn.h strings.h stropts.h sysexits.h syslog.h tar.h termios.h
trace.h ulimit.h unistd.h utime.h utmpx.h values.h wordexp.h linux/limits.h linux/types.h asm/types.h
sys/ioctl.h sys/ipc.h sys/mman.h sys/msg.h sys/param.h sys/resource.h sys/select.h sys/sem.h sys/shm.h sys/socket.h sys/stat.h sys/statvfs.h
sys/syscall.h sys/sysinfo.h sys/time.h sys/timeb.h sys/times.h sys/types.h sys/uio.h sys/un.h sys/utsname.h sys/wait.h
algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes ciso646 climits clocale
cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdalign cstdarg cstdbool cstddef cstdint cstdio cstdlib
cstring ctgmath ctime cuchar cwchar cwctype deque exception execution expected filesystem format forward_list fstream functional future generator
initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory memory_resource mutex new numbers numeric
optional ostream print queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span spanstream
sstream stack stacktrace stdexcept stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits
typeindex typeinfo unordered_map unordered_set utility valarray variant vector version cxxabi.h ext/algorithm ext/hash_map ext/hash_set ext/numeric
experimental/filesystem omp.h mpi.h openacc.h immintrin.h x86intrin.h xmmintrin.h emmintrin.h pmmintrin.h tmmintrin.h smmintrin.h nmmintrin.h avxintrin.h
cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_gl_interop.h cuda_occupancy.h cuda_profiler_api.h cudaProfiler.h cudaEGL.h cudaGL.h device_launch_parameters.h
device_functions.h driver_functions.h driver_types.h host_defines.h math_constants.h math_functions.h nvrtc.h nvml.h nvToolsExt.h nvtx3/nvToolsExt.h crt/host_defines.h crt/host_config.h host_config.h library_types.h
sm_20_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h texture_fetch_functions.h texture_types.h surface_functions.h surface_types.h
vector_functions.h vector_types.h builtin_types.h channel_descriptor.h cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h cooperative_groups/memcpy_async.h
cublas.h cublas_v2.h cublasLt.h cufft.h cufftXt.h cufftw.h curand.h curand_kernel.h curand_mtgp32_host.h curand_mtgp32dc_p_11213.h cusolverDn.h cusolverSp.h cusolver_common.h cusparse.h cusparse_v2.h cudnn.h
nccl.h nppi.h npp.h mma.h pipeline cuda/atomic cuda/barrier cuda/pipeline cuda/std/atomic GL/gl.h GL/glu.h GL/glut.h GL/glew.h GL/freeglut.h
`

var hostHeaderSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(hostHeaders) {
		set[name] = true
	}
	return set
})

// isHostHeader reports whether a header of the name is known to belong to the host's system.
func isHostHeader(name string) bool {
	return hostHeaderSet()[name] || strings.HasPrefix(name, "thrust/") || strings.HasPrefix(name, "cub/") || strings.HasPrefix(name, "boost/")
}
