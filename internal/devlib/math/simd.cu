// CUDA's SIMD functions on the halves and bytes of a word. Each works on all lanes at once:
// h has the highest bit of each lane, and results of comparisons are such bits.

static __device__ __forceinline__ unsigned irgl_vadd(unsigned a, unsigned b, unsigned h) {
  return ((a & ~h) + (b & ~h)) ^ ((a ^ b) & h);
}

static __device__ __forceinline__ unsigned irgl_vsub(unsigned a, unsigned b, unsigned h) {
  return ((a | h) - (b & ~h)) ^ ((a ^ ~b) & h);
}

// The lowest bits of the lanes whose highest bits are in x, and all bits of them.
static __device__ __forceinline__ unsigned irgl_vlow(unsigned x, unsigned h) {
  return x >> (h == 0x80808080u ? 7 : 15);
}

static __device__ __forceinline__ unsigned irgl_vmask(unsigned x, unsigned h) {
  return irgl_vlow(x, h) * (h == 0x80808080u ? 0xffu : 0xffffu);
}

static __device__ __forceinline__ unsigned irgl_vne(unsigned a, unsigned b, unsigned h) {
  unsigned x = a ^ b;
  return (((x & ~h) + ~h) | x) & h;
}

static __device__ __forceinline__ unsigned irgl_veq(unsigned a, unsigned b, unsigned h) {
  return irgl_vne(a, b, h) ^ h;
}

// a < b: the borrows of a - b.
static __device__ __forceinline__ unsigned irgl_vltu(unsigned a, unsigned b, unsigned h) {
  return ((~a & b) | (~(a ^ b) & irgl_vsub(a, b, h))) & h;
}

static __device__ __forceinline__ unsigned irgl_vlts(unsigned a, unsigned b, unsigned h) {
  return irgl_vltu(a ^ h, b ^ h, h);
}

static __device__ __forceinline__ unsigned irgl_vgtu(unsigned a, unsigned b, unsigned h) {
  return irgl_vltu(b, a, h);
}

static __device__ __forceinline__ unsigned irgl_vgts(unsigned a, unsigned b, unsigned h) {
  return irgl_vlts(b, a, h);
}

static __device__ __forceinline__ unsigned irgl_vleu(unsigned a, unsigned b, unsigned h) {
  return irgl_vltu(b, a, h) ^ h;
}

static __device__ __forceinline__ unsigned irgl_vles(unsigned a, unsigned b, unsigned h) {
  return irgl_vlts(b, a, h) ^ h;
}

static __device__ __forceinline__ unsigned irgl_vgeu(unsigned a, unsigned b, unsigned h) {
  return irgl_vltu(a, b, h) ^ h;
}

static __device__ __forceinline__ unsigned irgl_vges(unsigned a, unsigned b, unsigned h) {
  return irgl_vlts(a, b, h) ^ h;
}

// The lanes of a where x has a bit, else those of b.
static __device__ __forceinline__ unsigned irgl_vpick(unsigned x, unsigned a, unsigned b, unsigned h) {
  unsigned m = irgl_vmask(x, h);
  return (a & m) | (b & ~m);
}

// The largest and smallest number: what a sum of numbers with a's sign saturates to.
static __device__ __forceinline__ unsigned irgl_vlimit(unsigned a, unsigned h) {
  return ~h + irgl_vlow(a & h, h);
}

static __device__ __forceinline__ unsigned irgl_vaddss(unsigned a, unsigned b, unsigned h) {
  unsigned s = irgl_vadd(a, b, h);
  return irgl_vpick(~(a ^ b) & (a ^ s) & h, irgl_vlimit(a, h), s, h);
}

static __device__ __forceinline__ unsigned irgl_vsubss(unsigned a, unsigned b, unsigned h) {
  unsigned d = irgl_vsub(a, b, h);
  return irgl_vpick((a ^ b) & (a ^ d) & h, irgl_vlimit(a, h), d, h);
}

static __device__ __forceinline__ unsigned irgl_vaddus(unsigned a, unsigned b, unsigned h) {
  unsigned s = irgl_vadd(a, b, h);
  return s | irgl_vmask(((a & b) | ((a | b) & ~s)) & h, h);
}

static __device__ __forceinline__ unsigned irgl_vsubus(unsigned a, unsigned b, unsigned h) {
  return irgl_vsub(a, b, h) & ~irgl_vmask(irgl_vltu(a, b, h), h);
}

// Half of the bits that differ.
static __device__ __forceinline__ unsigned irgl_vhalf(unsigned a, unsigned b, unsigned h) {
  return ((a ^ b) >> 1) & ~h;
}

static __device__ __forceinline__ unsigned irgl_vavgu(unsigned a, unsigned b, unsigned h) {
  return (a | b) - irgl_vhalf(a, b, h);
}

static __device__ __forceinline__ unsigned irgl_vhaddu(unsigned a, unsigned b, unsigned h) {
  return (a & b) + irgl_vhalf(a, b, h);
}

// PTX rounds the average of a negative sum down, and that of another up.
static __device__ __forceinline__ unsigned irgl_vavgs(unsigned a, unsigned b, unsigned h) {
  unsigned down = irgl_vhaddu(a ^ h, b ^ h, h) ^ h;
  unsigned up = irgl_vavgu(a ^ h, b ^ h, h) ^ h;
  return irgl_vpick(down & h, down, up, h);
}

static __device__ __forceinline__ unsigned irgl_vabsdiffu(unsigned a, unsigned b, unsigned h) {
  return irgl_vpick(irgl_vltu(a, b, h), irgl_vsub(b, a, h), irgl_vsub(a, b, h), h);
}

static __device__ __forceinline__ unsigned irgl_vabsdiffs(unsigned a, unsigned b, unsigned h) {
  return irgl_vpick(irgl_vlts(a, b, h), irgl_vsub(b, a, h), irgl_vsub(a, b, h), h);
}

static __device__ __forceinline__ unsigned irgl_vsum(unsigned x, unsigned h) {
  unsigned s = (x & 0xffffu) + (x >> 16);
  if (h == 0x80808080u)
    s = (x & 0xffu) + (x >> 8 & 0xffu) + (x >> 16 & 0xffu) + (x >> 24);
  return s;
}

static __device__ __forceinline__ unsigned irgl_vabs(unsigned a, unsigned h) {
  unsigned m = irgl_vmask(a & h, h);
  return irgl_vsub(a ^ m, m, h);
}

static __device__ __forceinline__ unsigned irgl_vneg(unsigned a, unsigned h) {
  return irgl_vsub(0u, a, h);
}

static __device__ __forceinline__ unsigned irgl_vabsss(unsigned a, unsigned h) {
  unsigned r = irgl_vabs(a, h);
  return r - irgl_vlow(r & h, h);
}

static __device__ __forceinline__ unsigned irgl_vnegss(unsigned a, unsigned h) {
  unsigned r = irgl_vneg(a, h);
  return r - irgl_vlow(r & a & h, h);
}

static __device__ __forceinline__ unsigned irgl___vadd2(unsigned a, unsigned b) {
  return irgl_vadd(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsub2(unsigned a, unsigned b) {
  return irgl_vsub(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vaddss2(unsigned a, unsigned b) {
  return irgl_vaddss(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vaddus2(unsigned a, unsigned b) {
  return irgl_vaddus(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsubss2(unsigned a, unsigned b) {
  return irgl_vsubss(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsubus2(unsigned a, unsigned b) {
  return irgl_vsubus(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vavgs2(unsigned a, unsigned b) {
  return irgl_vavgs(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vavgu2(unsigned a, unsigned b) {
  return irgl_vavgu(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vhaddu2(unsigned a, unsigned b) {
  return irgl_vhaddu(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vabsdiffs2(unsigned a, unsigned b) {
  return irgl_vabsdiffs(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vabsdiffu2(unsigned a, unsigned b) {
  return irgl_vabsdiffu(a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vmaxs2(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vlts(a, b, 0x80008000u), b, a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vmins2(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vlts(a, b, 0x80008000u), a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsads2(unsigned a, unsigned b) {
  return irgl_vsum(irgl_vabsdiffs(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vmaxu2(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vltu(a, b, 0x80008000u), b, a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vminu2(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vltu(a, b, 0x80008000u), a, b, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsadu2(unsigned a, unsigned b) {
  return irgl_vsum(irgl_vabsdiffu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpeq2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_veq(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vseteq2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_veq(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpne2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vne(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetne2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vne(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpges2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vges(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetges2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vges(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgeu2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgeu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetgeu2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgeu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgts2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgts(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetgts2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgts(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgtu2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgtu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetgtu2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgtu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmples2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vles(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetles2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vles(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpleu2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vleu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetleu2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vleu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmplts2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vlts(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetlts2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vlts(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vcmpltu2(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vltu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vsetltu2(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vltu(a, b, 0x80008000u), 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vabs2(unsigned a) {
  return irgl_vabs(a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vneg2(unsigned a) {
  return irgl_vneg(a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vabsss2(unsigned a) {
  return irgl_vabsss(a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vnegss2(unsigned a) {
  return irgl_vnegss(a, 0x80008000u);
}

static __device__ __forceinline__ unsigned irgl___vadd4(unsigned a, unsigned b) {
  return irgl_vadd(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsub4(unsigned a, unsigned b) {
  return irgl_vsub(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vaddss4(unsigned a, unsigned b) {
  return irgl_vaddss(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vaddus4(unsigned a, unsigned b) {
  return irgl_vaddus(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsubss4(unsigned a, unsigned b) {
  return irgl_vsubss(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsubus4(unsigned a, unsigned b) {
  return irgl_vsubus(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vavgs4(unsigned a, unsigned b) {
  return irgl_vavgs(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vavgu4(unsigned a, unsigned b) {
  return irgl_vavgu(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vhaddu4(unsigned a, unsigned b) {
  return irgl_vhaddu(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vabsdiffs4(unsigned a, unsigned b) {
  return irgl_vabsdiffs(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vabsdiffu4(unsigned a, unsigned b) {
  return irgl_vabsdiffu(a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vmaxs4(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vlts(a, b, 0x80808080u), b, a, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vmins4(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vlts(a, b, 0x80808080u), a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsads4(unsigned a, unsigned b) {
  return irgl_vsum(irgl_vabsdiffs(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vmaxu4(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vltu(a, b, 0x80808080u), b, a, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vminu4(unsigned a, unsigned b) {
  return irgl_vpick(irgl_vltu(a, b, 0x80808080u), a, b, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsadu4(unsigned a, unsigned b) {
  return irgl_vsum(irgl_vabsdiffu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpeq4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_veq(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vseteq4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_veq(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpne4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vne(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetne4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vne(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpges4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vges(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetges4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vges(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgeu4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgeu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetgeu4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgeu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgts4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgts(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetgts4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgts(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpgtu4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vgtu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetgtu4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vgtu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmples4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vles(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetles4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vles(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpleu4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vleu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetleu4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vleu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmplts4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vlts(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetlts4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vlts(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vcmpltu4(unsigned a, unsigned b) {
  return irgl_vmask(irgl_vltu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vsetltu4(unsigned a, unsigned b) {
  return irgl_vlow(irgl_vltu(a, b, 0x80808080u), 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vabs4(unsigned a) {
  return irgl_vabs(a, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vneg4(unsigned a) {
  return irgl_vneg(a, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vabsss4(unsigned a) {
  return irgl_vabsss(a, 0x80808080u);
}

static __device__ __forceinline__ unsigned irgl___vnegss4(unsigned a) {
  return irgl_vnegss(a, 0x80808080u);
}
