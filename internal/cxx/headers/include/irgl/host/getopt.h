// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string.h>
#include <unistd.h>

struct option {
	const char *name;
	int has_arg;
	int *flag;
	int val;
};
#define no_argument 0
#define required_argument 1
#define optional_argument 2

extern "C" int __irgl_option(const char *before, const char *name, const char *behind); // a message

// One long option: --name, --name=value, --name value, or an unambiguous beginning of a name.
inline int __irgl_getopt_long(int argc, char *const *argv, const char *text, const struct option *options, int *index) {
	const char *equals = strchr(text, '=');
	size_t n = equals ? (size_t)(equals - text) : strlen(text);
	int found = -1, many = 0;
	for (int i = 0; options[i].name; i++) {
		if (strncmp(options[i].name, text, n)) continue;
		if (strlen(options[i].name) == n) {
			found = i;
			many = 0;
			break;
		}
		if (found >= 0 && (options[i].has_arg != options[found].has_arg || options[i].flag != options[found].flag || options[i].val != options[found].val)) many = 1;
		if (found < 0) found = i;
	}
	optind++;
	optarg = NULL;
	if (found < 0 || many) {
		optopt = 0;
		if (opterr) __irgl_option(many ? "option '--" : "unrecognized option '--", text, many ? "' is ambiguous" : "'");
		return '?';
	}
	const struct option *o = options + found;
	if (equals && o->has_arg == no_argument) {
		optopt = o->val;
		if (opterr) __irgl_option("option '--", o->name, "' doesn't allow an argument");
		return '?';
	}
	if (equals) optarg = (char *)equals + 1;
	else if (o->has_arg == required_argument) {
		if (optind >= argc) {
			optopt = o->val;
			if (opterr) __irgl_option("option '--", o->name, "' requires an argument");
			return '?';
		}
		optarg = argv[optind++];
	}
	if (index) *index = found;
	if (o->flag) {
		*o->flag = o->val;
		return 0;
	}
	return o->val;
}

inline int getopt_long(int argc, char *const *argv, const char *shorts, const struct option *options, int *index) {
	if (__irgl_next_option(argc, argv, shorts, &optind)) return -1;
	if (argv[optind][0] == '-' && argv[optind][1] == '-' && argv[optind][2]) return __irgl_getopt_long(argc, argv, argv[optind] + 2, options, index);
	return getopt(argc, argv, shorts);
}

inline int getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *options, int *index) {
	if (__irgl_next_option(argc, argv, shorts, &optind)) return -1;
	if (argv[optind][0] == '-' && argv[optind][1] && argv[optind][1] != '-' && argv[optind][2]) return __irgl_getopt_long(argc, argv, argv[optind] + 1, options, index);
	return getopt_long(argc, argv, shorts, options, index);
}
