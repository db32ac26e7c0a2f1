#include "textflag.h"

// A lane's bit of a mask, shifted left by so much, is the highest bit: of the first four lanes.
DATA shifts<>+0(SB)/8, $63
DATA shifts<>+8(SB)/8, $62
DATA shifts<>+16(SB)/8, $61
DATA shifts<>+24(SB)/8, $60
GLOBL shifts<>(SB), RODATA|NOPTR, $32

// func blend(d, s *[32]uint64, m uint32)
TEXT ·blend(SB), NOSPLIT, $0-20
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
