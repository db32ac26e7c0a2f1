// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a program whose host code irgl evaluates: functions of atexit are called, the last one first.
#pragma once

extern "C" void __irgl_exit(int status) __attribute__((noreturn));

namespace irgl {
// Functions to call, and how many there are.
struct exit_functions {
	void (*list[64])();
	int count;
};
inline exit_functions at_exit;

inline void call_exit_functions() {
	while (at_exit.count > 0) at_exit.list[--at_exit.count]();
}
}

extern "C" {
inline int atexit(void (*f)(void)) {
	if (irgl::at_exit.count == 64) return -1;
	irgl::at_exit.list[irgl::at_exit.count++] = f;
	return 0;
}
inline void __attribute__((noreturn)) exit(int status) {
	irgl::call_exit_functions();
	__irgl_exit(status);
}
}
