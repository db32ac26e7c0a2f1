// recorder.so writes down when each kernel of a program ran. The driver loads it into every
// program whose environment has CUDA_INJECTION64_PATH, so that programs need no change and
// both compilers' are measured alike. CUPTI is opened when the program runs.
//
//	KERNELS_OUT      the folder for the file of a process, named by its id
//	KERNELS_CUPTI    libcupti.so.13, if the dynamic linker does not find it
//	KERNELS_MAX_MS   end the program that long after its first kernel has been seen
//
// A file has lines "name NUMBER SYMBOL", "run NUMBER START END" in ns of the device's clock
// in the order of completion, "left_out COUNT" for records that were too many or lost,
// and last "end exit", "end limit" or "end signal".
#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, MAX_RUNS = 200000, MAX_NAMES = 1000, POLL_MS = 20 };

static struct {
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
} cupti;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of what follows
static FILE *out;
static char *names[MAX_NAMES];
static int named;
static long runs, left_out;

static sem_t ended; // posted by the handler of SIGTERM

static void request(uint8_t **buffer, size_t *size, size_t *records) {
	*buffer = aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, BUFFER);
	*size = *buffer ? BUFFER : 0;
	*records = 0; // as many as fit
}

static int number_of(const char *name) {
	for (int i = 0; i < named; i++)
		if (!strcmp(names[i], name)) return i;
	if (named == MAX_NAMES || !(names[named] = strdup(name))) return -1;
	fprintf(out, "name %d %s\n", named, name);
	return named++;
}

static void record(const CUpti_ActivityKernel10 *k) {
	int i;
	if (k->end <= k->start) { // a forced flush returns kernels that have not ended
		left_out++;
	} else if (runs == MAX_RUNS || (i = number_of(k->name)) < 0) {
		left_out++;
	} else {
		fprintf(out, "run %d %llu %llu\n", i, (unsigned long long)k->start, (unsigned long long)k->end);
		runs++;
	}
}

static void completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
	CUpti_Activity *a = NULL;
	size_t lost = 0;
	(void)size;
	pthread_mutex_lock(&lock);
	if (out) {
		while (valid && cupti.next(buffer, valid, &a) == CUPTI_SUCCESS)
			if (a->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || a->kind == CUPTI_ACTIVITY_KIND_KERNEL)
				record((const CUpti_ActivityKernel10 *)a);
		if (cupti.dropped(context, stream, &lost) == CUPTI_SUCCESS) left_out += lost;
	}
	pthread_mutex_unlock(&lock);
	free(buffer);
}

// finish writes what is left, once.
static void finish(const char *reason) {
	cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	pthread_mutex_lock(&lock);
	if (out) {
		if (left_out) fprintf(out, "left_out %ld\n", left_out);
		fprintf(out, "end %s\n", reason);
		fclose(out);
		out = NULL;
	}
	pthread_mutex_unlock(&lock);
}

static void at_exit(void) { finish("exit"); }

static void on_term(int signal) {
	(void)signal;
	sem_post(&ended); // flushing is not safe in a handler
}

static long long now_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

// signalled waits and reports whether SIGTERM came in that time.
static int signalled(long ms) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	int r;
	while ((r = sem_timedwait(&ended, &t)) != 0 && errno == EINTR) {}
	return r == 0;
}

static void *watch(void *limit) {
	long max = (long)limit;
	long long first = 0;
	for (;;) {
		if (signalled(POLL_MS)) {
			finish("signal");
			_exit(143);
		}
		if (!first) {
			cupti.flush(0);
			pthread_mutex_lock(&lock);
			if (runs) first = now_ms();
			pthread_mutex_unlock(&lock);
		} else if (max && now_ms() - first >= max) {
			finish("limit");
			_exit(0);
		}
	}
	return NULL;
}

static int open_cupti(void) {
	const char *path = getenv("KERNELS_CUPTI");
	void *lib = dlopen(path && *path ? path : "libcupti.so.13", RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "recorder: %s\n", dlerror());
		return 0;
	}
	cupti.enable = (CUptiResult(*)(CUpti_ActivityKind))dlsym(lib, "cuptiActivityEnable");
	cupti.callbacks = (CUptiResult(*)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc))dlsym(lib, "cuptiActivityRegisterCallbacks");
	cupti.next = (CUptiResult(*)(uint8_t *, size_t, CUpti_Activity **))dlsym(lib, "cuptiActivityGetNextRecord");
	cupti.flush = (CUptiResult(*)(uint32_t))dlsym(lib, "cuptiActivityFlushAll");
	cupti.dropped = (CUptiResult(*)(CUcontext, uint32_t, size_t *))dlsym(lib, "cuptiActivityGetNumDroppedRecords");
	return cupti.enable && cupti.callbacks && cupti.next && cupti.flush && cupti.dropped;
}

// InitializeInjection is called by the driver while it starts.
int InitializeInjection(void) {
	const char *folder = getenv("KERNELS_OUT"), *max = getenv("KERNELS_MAX_MS");
	char path[4096];
	pthread_t thread;
	if (!folder || out || !open_cupti()) return 0;
	if (snprintf(path, sizeof path, "%s/%ld", folder, (long)getpid()) >= (int)sizeof path || !(out = fopen(path, "w"))) {
		perror("recorder: KERNELS_OUT");
		return 0;
	}
	CUptiResult r = cupti.callbacks(request, completed);
	if (r == CUPTI_SUCCESS) r = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	if (r != CUPTI_SUCCESS) {
		fprintf(stderr, "recorder: CUPTI cannot record kernels: error %d\n", (int)r);
		return 0;
	}
	sem_init(&ended, 0, 0);
	signal(SIGTERM, on_term);
	atexit(at_exit);
	return pthread_create(&thread, NULL, watch, (void *)(max ? atol(max) : 0)) == 0;
}
