// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

extern "C" {
unsigned int sleep(unsigned int seconds);
int usleep(unsigned int microseconds);
int getpid(void);
int isatty(int descriptor);
int __irgl_next_option(int argc, char *const *argv, const char *options, int *index);
int __irgl_getopt(int argc, char *const *argv, const char *options, char **argument, int *index, int *option);
}
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

static char *optarg;
static int optind = 1, opterr = 1, optopt;
inline int getopt(int argc, char *const *argv, const char *options) { return __irgl_next_option(argc, argv, options, &optind) ? -1 : __irgl_getopt(argc, argv, options, &optarg, &optind, &optopt); }
