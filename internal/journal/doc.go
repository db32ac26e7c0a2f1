// Package journal keeps measurements in a file as they come, so that a process that is
// killed in the middle has lost at most the one it was at, and the next one goes on.
//
// A journal is lines of JSON, each with a kind and data of the writer's own. The first
// one says what wrote it and on what:
//
//	{"kind":"journal","data":{"version":1,"device":"NVIDIA H200","metric":"ms"}}
//	{"kind":"cell","data":{"program":"bfs","input":"rmat:20:8","switches":"","value":18.5}}
//
// [Create] begins a file, and refuses one that is there: measurements are not to be
// lost by a slip. [Resume] reads one and goes on at its end; what it was written on must
// be the same. [Read] only reads. A line that a kill has cut short is the last one and
// is dropped; any other that is no JSON is an error with its number, and the file stays
// as it is.
package journal
