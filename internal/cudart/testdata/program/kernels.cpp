// The registration of kernels.cu, as the compiler driver writes it.
#include "kernels.h"

#include "kernels.ptx.h"

#include <cstdlib>

#define STUB(k) reinterpret_cast<const void *>(k)

int counter;
int factors[4];
char word[8];
int irgl_initial_total = 100;
decltype(irgl_initial_total) &total = irgl::managed(irgl_initial_total, "total");

static void run(const void *stub, void **args) { irgl::launch(stub, args); }

void add(int *out, const int *a, int n) {
  void *args[] = {&out, &a, &n};
  run(STUB(add), args);
}
void beyond(int *out, int n) {
  void *args[] = {&out, &n};
  run(STUB(beyond), args);
}
void scale(int *data, int n) {
  void *args[] = {&data, &n};
  run(STUB(scale), args);
}
void talk(int n) {
  void *args[] = {&n};
  run(STUB(talk), args);
}
void sum(const int *a, int n) {
  void *args[] = {&a, &n};
  run(STUB(sum), args);
}
void nothing() { run(STUB(nothing), nullptr); }
void missing() { run(STUB(missing), nullptr); }
void racing(int *p) {
  void *args[] = {&p};
  run(STUB(racing), args);
}
void claim(int n) {
  void *args[] = {&n};
  run(STUB(claim), args);
}
void forever(volatile int *p) {
  void *args[] = {&p};
  run(STUB(forever), args);
}
void structs(pair_arg p, short s, double *out) {
  void *args[] = {&p, &s, &out};
  run(STUB(structs), args);
}
void bounded(int *p) {
  void *args[] = {&p};
  run(STUB(bounded), args);
}
void dynamic(int *p, int n) {
  void *args[] = {&p, &n};
  run(STUB(dynamic), args);
}
void family(int *log, int n) {
  void *args[] = {&log, &n};
  run(STUB(family), args);
}

static const irgl_parameter ppi[] = {{0, 8}, {8, 8}, {16, 4}}, pi[] = {{0, 8}, {8, 4}}, i[] = {{0, 4}}, p[] = {{0, 8}},
                            spi[] = {{0, 16}, {16, 2}, {24, 8}};
static const irgl_kernel kernels[] = {
    {STUB(add), "add", ppi, 3, 20, 0, nullptr},       {STUB(beyond), "beyond", pi, 2, 12, 0, nullptr}, {STUB(scale), "scale", pi, 2, 12, 0, nullptr},
    {STUB(talk), "talk", i, 1, 4, 0, nullptr},        {STUB(sum), "sum", pi, 2, 12, 0, nullptr},       {STUB(nothing), "nothing", nullptr, 0, 0, 0, nullptr},
    {STUB(racing), "racing", p, 1, 8, 0, nullptr},    {STUB(claim), "claim", i, 1, 4, 0, nullptr},     {STUB(forever), "forever", p, 1, 8, 0, nullptr},
    {STUB(structs), "structs", spi, 3, 32, 0, nullptr}, {STUB(bounded), "bounded", p, 1, 8, 0, nullptr}, {STUB(dynamic), "dynamic", pi, 2, 12, 0, nullptr},
    {STUB(missing), "missing", nullptr, 0, 0, 0, nullptr}, {STUB(family), "family", pi, 2, 12, IRGL_LAUNCHES, nullptr},
};
// By the numbers that device code has for them; the host does not launch child.
static const irgl_kernel launched[] = {{nullptr, "child", pi, 2, 12, 0, nullptr}, {STUB(family), "family", pi, 2, 12, IRGL_LAUNCHES, nullptr}};
static const irgl_variable variables[] = {
    {&counter, "counter", sizeof counter, IRGL_DEVICE},
    {word, "word", sizeof word, IRGL_DEVICE},
    {factors, "factors", sizeof factors, IRGL_CONSTANT},
    {&irgl_initial_total, "managed_sum", sizeof(int), IRGL_MANAGED},
};
static const char *const sites[] = {"kernels.cu:5", "kernels.cu:6"};
static const char by_library[] = "// the device runtime's\n.version 7.0\n";
static irgl_image image = {IRGL_REGISTRATION, IRGL_HARDWARE_TEXTURES, "kernels.cu", ptx, sizeof ptx, kernels, sizeof kernels / sizeof *kernels,
                           variables,         4,            launched,  2,       nullptr,   sites,   2,       {by_library, sizeof by_library, nullptr}};
IRGL_REGISTER(image)

// A file whose textures are in software, with MIXED: the driver's objects are not for it.
static irgl_image other = {IRGL_REGISTRATION, IRGL_SOFTWARE_TEXTURES, "other.cu", ptx, sizeof ptx, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, nullptr, 0, {}};
__attribute__((constructor(102))) static void register_other() {
  if (getenv("MIXED") != nullptr)
    irgl_register(&other);
}
