// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#define RUSAGE_SELF 0
struct rusage { struct timeval ru_utime, ru_stime; long ru_maxrss; };
inline int getrusage(int, struct rusage *u) {
	u->ru_utime.tv_sec = clock() / 1000000;
	u->ru_utime.tv_usec = clock() % 1000000;
	u->ru_stime.tv_sec = u->ru_stime.tv_usec = 0;
	u->ru_maxrss = 0;
	return 0;
}
