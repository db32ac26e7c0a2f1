// Package emit writes a program whose launches package klap has transformed as CUDA C++ text.
//
// The passes work on a tree of C, to which C++ has been lowered: its printed form would be another
// program. [Text] keeps the text of the source, and changes it where the two trees differ: a node of the
// transformed tree has the place of the construct that it was made for, and if that construct was as the
// node is, its text stands for it. What is left is printed:
//
//	child<<<n, 32>>>(p, i);    becomes    __klap_set_child(&__klap_0, n, 32, 0, i);
//
// with n, 32 and i as the source has them. Names that were mangled are those of the source again.
//
// New declarations go in front of the first function that uses them, and copies of functions behind
// these. A macro is taken apart only if a change is inside of it, and a header is put in the place of its
// directive only if a function of it changes; the front end then reads the text again, so that all
// places are of one text.
package emit
