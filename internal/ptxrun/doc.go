// Package ptxrun launches a kernel of a PTX text of anybody's, with arguments that are described in a few words.
//
//	u32=5             a number by value; s8 to u64, f16, bf16, f32, f64
//	bytes=@FILE       a struct by value: what a file holds
//	null              a null pointer
//	f32[1024]=0       a pointer to 1024 numbers, all zero
//	s32[4]=1,2,3      a pointer to numbers that are listed; behind them the last one goes on
//	s32[64]=iota      0, 1, 2 and so on
//	f32[64]=rand      random ones: of integers from 0 to 99, of others from 0 to 1
//	u8[]=@FILE        what a file holds
//	f32[1024]         memory that nothing has written
//
// A [Launch] has the kernel and its arguments in order; [Launch.Run] lays them out as the PTX has its parameters, launches,
// waits, and returns what the memory holds then.
package ptxrun
