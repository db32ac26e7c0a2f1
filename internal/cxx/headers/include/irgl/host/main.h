// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry of a program whose host code irgl evaluates. It is behind the program's text.
#pragma once

#include <irgl/host/atexit.h>

namespace {
inline int __irgl_call(int (*main)(), int, char **, char **) { return main(); }
inline int __irgl_call(int (*main)(int), int argc, char **, char **) { return main(argc); }
inline int __irgl_call(int (*main)(int, char **), int argc, char **argv, char **) { return main(argc, argv); }
inline int __irgl_call(int (*main)(int, const char **), int argc, char **argv, char **) { return main(argc, (const char **)argv); }
inline int __irgl_call(int (*main)(int, const char *const *), int argc, char **argv, char **) { return main(argc, argv); }
inline int __irgl_call(int (*main)(int, char *const *), int argc, char **argv, char **) { return main(argc, argv); }
inline int __irgl_call(int (*main)(int, char **, char **), int argc, char **argv, char **env) { return main(argc, argv, env); }
inline int __irgl_call(void (*main)(), int, char **, char **) { main(); return 0; }
inline int __irgl_call(void (*main)(int, char **), int argc, char **argv, char **) { main(argc, argv); return 0; }
}

extern "C" __global__ void __irgl_main(int *status, int argc, char **argv, char **env) {
	*status = __irgl_call(main, argc, argv, env);
	irgl::call_exit_functions();
}
