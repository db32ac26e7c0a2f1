// Package findings is what a run on the emulator is reported as: one type, and writers of it as text, JSON, SARIF
// and JUnit's XML, for people, scripts and continuous integration.
//
//	log := findings.NewLog(findings.About{Program: "saxpy", ...})
//	r, notes, err := findings.NewRecorder(log, "text,sarif:out.sarif", os.Getpid())
//	r.Opened(0, dev, about)           // a device, whose reports and kernels are the log's
//	r.Add(findings.Finding{...})      // what a runtime has found itself
//	r.Closing(0)                      // its leaks
//	lines, err := r.Finish()
//
// A [Run] has the program, what was emulated, its kernels, and the findings. A [Finding] is of a [Rule], whose
// identifier is stable and documented in docs/findings.md, and has [Site]s: the place that it is about, then others, such
// as the other access of a race, the allocation, or the launch. The same run gives the same bytes: there are no times,
// process numbers or host names in them.
//
// A [Target] is where a report goes: --report and the environment variable IRGL_REPORT. The file is written
// whenever something new is found and again at the end, each time as a whole, so that one is there also if the
// program is killed; %p in its name is the number of the process, %n the name of the program. A file that is there already
// belongs to another process, and is left alone.
//
// Frames of host code are places in an executable until [Symbols] finds their lines in its debug information.
package findings
