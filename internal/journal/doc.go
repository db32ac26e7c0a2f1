// Package journal keeps measurements in a file as they come, so that a process that is
// killed loses at most the measurement in progress, and another process resumes.
//
// A journal is lines of JSON, each with a kind and data that the writer defines. The first
// one says what wrote it and on what:
//
//	{"kind":"journal","data":{"version":1,"device":"NVIDIA H200","metric":"ms"}}
//	{"kind":"cell","data":{"program":"bfs","input":"rmat:20:8","switches":"","value":18.5}}
//
// [Create] begins a file, and refuses one that exists, so that no measurements
// are overwritten. [Resume] reads one and appends to it; its device and metric must
// match. [Read] only reads. A last line without an end, which a kill leaves, is
// dropped; any other line that is not JSON is an error with its number, and the file
// is not changed.
package journal
