// A program that loads what CUDA_INJECTION64_PATH names, as the driver does, and takes the
// milliseconds of its argument.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
	void *lib = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
	int (*begin)(void) = lib ? (int (*)(void))dlsym(lib, "InitializeInjection") : NULL;
	if (argc != 2 || !begin || !begin()) return 1;
	puts("begins");
	fflush(stdout);
	for (int ms = atoi(argv[1]); ms > 0; ms--) usleep(1000); // which signals interrupt
	puts("ends");
	return 0;
}
