// Package devicetest is the conformance suite of package device: what every
// [device.Device] must do, whatever it runs on. An implementation's test hands
// [Run] a function that opens a fresh device:
//
//	func TestDevice(t *testing.T) {
//		devicetest.Run(t, func(t *testing.T) device.Device {
//			d, err := Open(0)
//			if errors.Is(err, ErrNoDriver) {
//				t.Skip(err)
//			}
//			...
//			return d
//		})
//	}
//
// The suite opens one device for each of its subtests and closes it. It covers
// memory (zero fill, copies, fills, exhaustion), module variables, parameters
// of every size, the thread grid, shared and local memory, atomics, warp
// operations, divergence, ordering, events, cooperative launches, streams and
// what orders them, page-locked memory, scopes, and the errors: of names, of
// sizes, of PTX text and of kernels. [RunSystem] does the same for two devices
// of one system: peer access, copies and events between devices.
//
// Whether work overlaps is decided without a clock. A kernel polls a flag, up to
// a bound, and stores whether it saw the flag set by another kernel or by the
// host: one that must overlap with the setter sees it, and one that must end
// before the setter begins does not.
//
// The kernels are PTX text written by hand, in testdata: version 7.0, target
// sm_75, each group with the meaning of its kernels in comments. Instructions
// used: ld, st (param, global, shared, local, generic; volatile; 8 to 64 bits),
// mov, cvt, cvta, add, sub, mul, mad, shl, shr, and, or, setp, selp, bra, ret,
// exit, bar.sync, bar.warp.sync, membar.gl, atom, red, vote.sync, shfl.sync,
// activemask, popc; in streams.ptx and scopes.ptx ld.acquire, st.release and
// the like, with scopes. cluster.ptx is for devices with clusters of blocks: version
// 7.8, target sm_90.
//
// Kernels that do wrong on purpose run in a process of their own where a fault
// leaves the driver unusable (cuda): the test binary runs itself again with the
// name of the one subtest.
//
// A device that also looks for faults ([device.Checking]) must find none in
// these kernels, except in those of fault.ptx, and where a subtest leaves out an event or narrows
// a scope on purpose: then it must report a race.
package devicetest
