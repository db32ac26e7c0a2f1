// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What headers of programs test: the functions are the host's.
#pragma once
#define _POSIX_VERSION 200809L
#define _POSIX_TIMERS 200809L
