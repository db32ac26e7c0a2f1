// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stddef.h>

typedef long time_t;
typedef long clock_t;
typedef long suseconds_t;
typedef int clockid_t;
#define CLOCKS_PER_SEC 1000000l
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3

struct timespec { time_t tv_sec; long tv_nsec; };
struct timeval { time_t tv_sec; suseconds_t tv_usec; };
struct timezone { int tz_minuteswest, tz_dsttime; };

extern "C" {
time_t time(time_t *t);
clock_t clock(void);
int clock_gettime(clockid_t clock, struct timespec *t);
int gettimeofday(struct timeval *t, void *zone);
int nanosleep(const struct timespec *t, struct timespec *left);
}
inline double difftime(time_t a, time_t b) { return (double)(a - b); }
