// The stubs of kernels.cu, as the compiler driver writes them.
#include <cuda_runtime.h>

struct pair_arg {
  char tag;
  double value;
};

void add(int *out, const int *a, int n);
void beyond(int *out, int n);
void scale(int *data, int n);
void talk(int n);
void sum(const int *a, int n);
void nothing();
void racing(int *p);
void claim(int n);
void forever(volatile int *p);
void structs(pair_arg p, short s, double *out);
void bounded(int *p);
void dynamic(int *p, int n);
void family(int *log, int n);
void missing(); // which kernels.cu has not

extern int counter;
extern int factors[4];
extern char word[8];
extern int &total;
#define LAUNCH(call, ...) (__cudaPushCallConfiguration(__VA_ARGS__) ? (void)0 : call)
