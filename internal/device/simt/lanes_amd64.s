#include "textflag.h"

// A lane's bit of a mask, shifted left by so much, is the highest bit: of the first four lanes.
DATA shifts<>+0(SB)/8, $63
DATA shifts<>+8(SB)/8, $62
DATA shifts<>+16(SB)/8, $61
DATA shifts<>+24(SB)/8, $60
GLOBL shifts<>(SB), RODATA|NOPTR, $32

// func blendVector(d, s *[32]uint64, m uint32)
TEXT ·blendVector(SB), NOSPLIT, $0-20
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVL m+16(FP), R9
	VMOVD R9, X1
	VPBROADCASTD X1, Y1
	VMOVDQU shifts<>(SB), Y2
	MOVQ $4, R8
	VMOVQ R8, X3
	VPBROADCASTQ X3, Y3
	MOVQ $0, AX

loop:
	VPSLLVQ Y2, Y1, Y4
	VMOVDQU (DI)(AX*1), Y0
	VBLENDVPD Y4, (SI)(AX*1), Y0, Y0
	VMOVDQU Y0, (DI)(AX*1)
	VPSUBQ Y3, Y2, Y2
	ADDQ $32, AX
	CMPQ AX, $256
	JNE  loop
	VZEROUPPER
	RET

// The numbers of the first four lanes.
DATA numbers<>+0(SB)/8, $0
DATA numbers<>+8(SB)/8, $1
DATA numbers<>+16(SB)/8, $2
DATA numbers<>+24(SB)/8, $3
GLOBL numbers<>(SB), RODATA|NOPTR, $32

// func spreadVector(off, regs *[32]uint64, m uint32, rest, base, limit, step uint64) (bits uint64, over, row bool)
TEXT ·spreadVector(SB), NOSPLIT, $0-66
	MOVQ off+0(FP), DI
	MOVQ regs+8(FP), SI
	MOVL m+16(FP), R9
	VMOVD R9, X1
	VPBROADCASTD X1, Y1
	VMOVDQU shifts<>(SB), Y2
	MOVQ $4, R8
	VMOVQ R8, X3
	VPBROADCASTQ X3, Y3
	VPBROADCASTQ rest+24(FP), Y5
	VPBROADCASTQ base+32(FP), Y6
	VPBROADCASTQ limit+40(FP), Y7
	VPXOR Y8, Y8, Y8 // the bits
	VPXOR Y9, Y9, Y9 // lanes beyond the limit
	VPBROADCASTQ (SI), Y10 // where four lanes of a row are
	VPADDQ Y6, Y10, Y10
	VPBROADCASTQ step+48(FP), Y11
	VPMULUDQ numbers<>(SB), Y11, Y0
	VPADDQ Y0, Y10, Y10
	VPSLLQ $2, Y11, Y11
	VPCMPEQD Y12, Y12, Y12 // lanes that are there
	MOVQ $0, AX

loop:
	VPSLLVQ Y2, Y1, Y4
	VBLENDVPD Y4, (SI)(AX*1), Y5, Y0
	VPADDQ Y6, Y0, Y0
	VMOVDQU Y0, (DI)(AX*1)
	VPOR Y0, Y8, Y8
	VPCMPEQQ Y10, Y0, Y4
	VPAND Y4, Y12, Y12
	VPADDQ Y11, Y10, Y10
	VPCMPGTQ Y7, Y0, Y0
	VPOR Y0, Y9, Y9
	VPSUBQ Y3, Y2, Y2
	ADDQ $32, AX
	CMPQ AX, $256
	JNE  loop
	VPOR Y8, Y9, Y9 // a negative one is beyond it
	VMOVMSKPD Y9, R8
	TESTL R8, R8
	SETNE over+64(FP)
	VMOVMSKPD Y12, R8
	CMPL R8, $15
	SETEQ row+65(FP)
	VEXTRACTI128 $1, Y8, X0
	VPOR X0, X8, X8
	VPSRLDQ $8, X8, X0
	VPOR X0, X8, X8
	VMOVQ X8, bits+56(FP)
	VZEROUPPER
	RET

// Compare the sectors in Y4 to Y7 with those so many places before.
#define EARLIER(at, sectors, found) \
	VPCMPEQD at(R8), sectors, Y0 \
	VPOR Y0, found, found

// func distinctVector(off *[32]uint64, base uint64) int
TEXT ·distinctVector(SB), NOSPLIT, $256-24
	MOVQ off+0(FP), SI
	VPBROADCASTQ base+8(FP), Y1
	VPCMPEQD Y0, Y0, Y0 // no sector, before the first
	VMOVDQU Y0, 0(SP)
	VMOVDQU Y0, 32(SP)
	VMOVDQU Y0, 64(SP)
	VMOVDQU Y0, 96(SP)
	VPADDQ (SI), Y1, Y2
	VPADDQ 32(SI), Y1, Y3
	VPSRLQ $5, Y2, Y2
	VPSRLQ $5, Y3, Y3
	VSHUFPS $0x88, Y3, Y2, Y4 // in some order: that does not matter
	VMOVDQU Y4, 128(SP)
	VPADDQ 64(SI), Y1, Y2
	VPADDQ 96(SI), Y1, Y3
	VPSRLQ $5, Y2, Y2
	VPSRLQ $5, Y3, Y3
	VSHUFPS $0x88, Y3, Y2, Y5
	VMOVDQU Y5, 160(SP)
	VPADDQ 128(SI), Y1, Y2
	VPADDQ 160(SI), Y1, Y3
	VPSRLQ $5, Y2, Y2
	VPSRLQ $5, Y3, Y3
	VSHUFPS $0x88, Y3, Y2, Y6
	VMOVDQU Y6, 192(SP)
	VPADDQ 192(SI), Y1, Y2
	VPADDQ 224(SI), Y1, Y3
	VPSRLQ $5, Y2, Y2
	VPSRLQ $5, Y3, Y3
	VSHUFPS $0x88, Y3, Y2, Y7
	VMOVDQU Y7, 224(SP)
	VPXOR Y8, Y8, Y8 // those that are there before
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	LEAQ 124(SP), R8
	MOVQ $7, AX

all:
	EARLIER(0, Y4, Y8)
	EARLIER(32, Y5, Y9)
	EARLIER(64, Y6, Y10)
	EARLIER(96, Y7, Y11)
	SUBQ $4, R8
	DECQ AX
	JNE  all
	MOVQ $8, AX

three:
	EARLIER(32, Y5, Y9)
	EARLIER(64, Y6, Y10)
	EARLIER(96, Y7, Y11)
	SUBQ $4, R8
	DECQ AX
	JNE  three
	MOVQ $8, AX

two:
	EARLIER(64, Y6, Y10)
	EARLIER(96, Y7, Y11)
	SUBQ $4, R8
	DECQ AX
	JNE  two
	MOVQ $8, AX

one:
	EARLIER(96, Y7, Y11)
	SUBQ $4, R8
	DECQ AX
	JNE  one
	VPACKSSDW Y9, Y8, Y8
	VPACKSSDW Y11, Y10, Y10
	VPACKSSWB Y10, Y8, Y8
	VPMOVMSKB Y8, R9
	POPCNTL R9, R9
	MOVQ $32, AX
	SUBQ R9, AX
	MOVQ AX, ret+16(FP)
	VZEROUPPER
	RET

// func load32Vector(d, off *[32]uint64, data []byte)
TEXT ·load32Vector(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ off+8(FP), SI
	MOVQ data_base+16(FP), DX
	MOVQ $0, AX

loop:
	MOVQ (SI)(AX*8), R8
	MOVQ 8(SI)(AX*8), R9
	MOVQ 16(SI)(AX*8), R10
	MOVQ 24(SI)(AX*8), R11
	MOVL (DX)(R8*1), R8
	MOVL (DX)(R9*1), R9
	MOVL (DX)(R10*1), R10
	MOVL (DX)(R11*1), R11
	MOVQ R8, (DI)(AX*8)
	MOVQ R9, 8(DI)(AX*8)
	MOVQ R10, 16(DI)(AX*8)
	MOVQ R11, 24(DI)(AX*8)
	ADDQ $4, AX
	CMPQ AX, $32
	JNE  loop
	RET

// func load64Vector(d, off *[32]uint64, data []byte)
TEXT ·load64Vector(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ off+8(FP), SI
	MOVQ data_base+16(FP), DX
	MOVQ $0, AX

loop:
	MOVQ (SI)(AX*8), R8
	MOVQ 8(SI)(AX*8), R9
	MOVQ 16(SI)(AX*8), R10
	MOVQ 24(SI)(AX*8), R11
	MOVQ (DX)(R8*1), R8
	MOVQ (DX)(R9*1), R9
	MOVQ (DX)(R10*1), R10
	MOVQ (DX)(R11*1), R11
	MOVQ R8, (DI)(AX*8)
	MOVQ R9, 8(DI)(AX*8)
	MOVQ R10, 16(DI)(AX*8)
	MOVQ R11, 24(DI)(AX*8)
	ADDQ $4, AX
	CMPQ AX, $32
	JNE  loop
	RET

// func loadRow32Vector(d *[32]uint64, data []byte)
TEXT ·loadRow32Vector(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ data_base+8(FP), SI
	MOVQ $0, AX

loop:
	VPMOVZXDQ (SI)(AX*1), Y0
	VMOVDQU Y0, (DI)(AX*2)
	ADDQ $16, AX
	CMPQ AX, $128
	JNE  loop
	VZEROUPPER
	RET

// func storeRow32Vector(data []byte, s *[32]uint64) (same uint32)
TEXT ·storeRow32Vector(SB), NOSPLIT, $0-36
	MOVQ data_base+0(FP), DI
	MOVQ s+24(FP), SI
	XORL R9, R9
	MOVQ $96, AX

loop:
	VMOVDQU (SI)(AX*2), Y0
	VSHUFPS $0x88, 32(SI)(AX*2), Y0, Y0
	VPERMQ $0xd8, Y0, Y0
	VPCMPEQD (DI)(AX*1), Y0, Y1
	VMOVDQU Y0, (DI)(AX*1)
	VMOVMSKPS Y1, R8
	SHLL $8, R9
	ORL  R8, R9
	SUBQ $32, AX
	JGE  loop
	MOVL R9, same+32(FP)
	VZEROUPPER
	RET
