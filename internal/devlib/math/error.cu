// The error function and the gamma function of double; the latter serves float
// too.

// e^(a^2) erfc(a) of 0 <= a <= 28: a smooth function of (a-4)/(a+4); see irgl_erfcf.
static __device__ __forceinline__ double irgl_erfcx_part(double a) {
  double d = a + 4.0;
  double rd = __drcp_rn(d);
  double t = __dmul_rn(a - 4.0, rd);
  double e = fma(-t, a, a - 4.0);
  t = fma(fma(-4.0, t, e), rd, t);
  // (1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 28, to 2^-56.0 of the whole
  double p = -0x1.d7c83b9b0c3e8p-30;
  p = fma(p, t, -0x1.cc645093f9cd5p-27);
  p = fma(p, t, -0x1.0c9b85b71b0c9p-27);
  p = fma(p, t, 0x1.ec19a02747643p-24);
  p = fma(p, t, 0x1.0c67020fc434cp-24);
  p = fma(p, t, -0x1.bfdec4404cbaep-21);
  p = fma(p, t, 0x1.44177a04a61aep-22);
  p = fma(p, t, 0x1.7fada54b25ec5p-18);
  p = fma(p, t, -0x1.78a7bdb3ffcdcp-17);
  p = fma(p, t, -0x1.9969af57e64a9p-16);
  p = fma(p, t, 0x1.3be0ce2f0b248p-13);
  p = fma(p, t, -0x1.a1de85e64947p-13);
  p = fma(p, t, -0x1.8d4a9fa030b3p-11);
  p = fma(p, t, 0x1.49c67195d27d2p-8);
  p = fma(p, t, -0x1.09623880df724p-6);
  p = fma(p, t, 0x1.3079edf9e6b24p-5);
  p = fma(p, t, -0x1.0fb06dfe563cbp-4);
  p = fma(p, t, 0x1.7fee004df7636p-4);
  p = fma(p, t, -0x1.9ddb23c3e8c6cp-4);
  p = fma(p, t, 0x1.16ecefcfa5fe1p-4);
  p = fma(p, t, 0x1.f7f5df66fd778p-7);
  p = fma(p, t, -0x1.1df1ad154a29cp-3);
  p = fma(p, t, 0x1.3ba5916e9fd7fp+0);
  return p / fma(2.0, a, 1.0);
}

static __device__ __forceinline__ double irgl_erfc_part(double a) {
  double c = irgl_erfcx_part(a);
  double h = __dmul_rn(a, a);
  double low = fma(a, a, -h);
  int n;
  double v = irgl_nearest(h, -0x1.71547652b82fep+0, &n);
  double g, f = irgl_exp_reduce(-h, v, &g);
  // (e^f - 1 - f) / f^2 for |f| < 0.347, to 2^-57.9 of the whole
  double s = 0x1.ad7fd415b615dp-26;
  s = fma(s, f, 0x1.28ad977e829adp-22);
  s = fma(s, f, 0x1.71df2557514adp-19);
  s = fma(s, f, 0x1.a01999e7955e7p-16);
  s = fma(s, f, 0x1.a01a012a34826p-13);
  s = fma(s, f, 0x1.6c16c1843661bp-10);
  s = fma(s, f, 0x1.1111111127cb8p-7);
  s = fma(s, f, 0x1.555555555084bp-5);
  s = fma(s, f, 0x1.55555555554f9p-3);
  s = fma(s, f, 0x1.000000000000ap-1);
  s = f + fma(s, f * f, g); // e^f - 1
  s = s - fma(low, s, low);
  return irgl_scale(fma(c, s, c), n);
}

static __device__ __forceinline__ double irgl_erf_small(double x) {
  double z = x * x;
  // erf(x) / x - 1 of z = x^2 <= 1, to 2^-56.9 of the whole
  double p = -0x1.acaeac926312ep-31;
  p = fma(p, z, 0x1.d77467c0af997p-27);
  p = fma(p, z, -0x1.5c149a1953d58p-23);
  p = fma(p, z, 0x1.b9821deae5e74p-20);
  p = fma(p, z, -0x1.f4ca8b689e9e1p-17);
  p = fma(p, z, 0x1.f9a2bedf66079p-14);
  p = fma(p, z, -0x1.c02db06cf3a16p-11);
  p = fma(p, z, 0x1.565bccfa73f94p-8);
  p = fma(p, z, -0x1.b82ce312050c7p-6);
  p = fma(p, z, 0x1.ce2f21a040fd4p-4);
  p = fma(p, z, -0x1.812746b0379c1p-2);
  p = fma(p, z, 0x1.06eba8214db68p-3);
  return fma(x, p, x);
}

static __device__ double irgl_erf(double x) {
  double a = fabs(x);
  double r = a < 1.0 ? irgl_erf_small(a) : a < 6.0 ? 1.0 - irgl_erfc_part(a) : 1.0;
  return x != x ? x : copysign(r, x);
}

static __device__ double irgl_erfc(double x) {
  double a = fabs(x);
  if (a < 0.5) {
    return 1.0 - irgl_erf_small(x);
  }
  double r = irgl_erfc_part(fmin(a, 28.0));
  r = x < 0.0 ? 2.0 - r : r;
  return x != x ? x : r;
}

// From 28 on the asymptotic series; below -1 by erfc(x) = 2 - erfc(-x).
static __device__ double irgl_erfcx(double x) {
  if (x >= 28.0) {
    double z = 0.5 / (x * x);
    double p = 10395.0;
    p = fma(p, z, -945.0);
    p = fma(p, z, 105.0);
    p = fma(p, z, -15.0);
    p = fma(p, z, 3.0);
    p = fma(p, z, -1.0);
    return 0x1.20dd750429b6dp-1 / x * fma(p, z, 1.0);
  }
  if (x > 0.5) {
    return irgl_erfcx_part(x);
  }
  if (x >= -1.0) {
    // e^(x^2) erfc(x) for -1 <= x <= 1/2, to 2^-59.6 of the whole
    double p = -0x1.b6deaed3835b6p-25;
    p = fma(p, x, -0x1.cdbfa9bf7105fp-24);
    p = fma(p, x, -0x1.e117167b819aap-23);
    p = fma(p, x, 0x1.4162cbf87341dp-22);
    p = fma(p, x, -0x1.8211a792290cp-21);
    p = fma(p, x, 0x1.7d5e70cc1518fp-19);
    p = fma(p, x, -0x1.1b2f17998e5fbp-17);
    p = fma(p, x, 0x1.9f08ca84911f2p-16);
    p = fma(p, x, -0x1.2ad9467cfaf94p-14);
    p = fma(p, x, 0x1.a0251fac409c9p-13);
    p = fma(p, x, -0x1.182d9ad8d545ap-11);
    p = fma(p, x, 0x1.6c16806ae36b2p-10);
    p = fma(p, x, -0x1.c74ae8b17b044p-9);
    p = fma(p, x, 0x1.111111f4c8355p-7);
    p = fma(p, x, -0x1.3903797de4bd5p-6);
    p = fma(p, x, 0x1.555555518ff45p-5);
    p = fma(p, x, -0x1.6023e8dc642bbp-4);
    p = fma(p, x, 0x1.555555555ecfdp-3);
    p = fma(p, x, -0x1.341f6bc02a956p-2);
    p = fma(p, x, 0x1.ffffffffffe57p-2);
    p = fma(p, x, -0x1.812746b037a2bp-1);
    p = fma(p, x, 0x1.0000000000001p+0);
    p = fma(p, x, -0x1.20dd750429b6dp+0);
    p = fma(p, x, 0x1p+0);
    return p;
  }
  double h = __dmul_rn(x, x);
  double e = irgl_exp_pair(h, fma(x, x, -h), 1);
  return x != x ? x : e - irgl_erfcx_part(fmin(-x, 28.0));
}

static __device__ float irgl_erfcxf(float x) {
  return (float)irgl_erfcx((double)x);
}

// Stirling's series for a >= 8 without the logarithm: S(1/a^2) / a.
static __device__ __forceinline__ double irgl_stirling(double a) {
  double r = 1.0 / a;
  double z = r * r;
  // a times the rest of Stirling's formula, of z = 1/a^2 <= 1/64, to 2^-60.6 of the whole
  double p = 0x1.4c3829132c98bp-8;
  p = fma(p, z, -0x1.ef980c25087d8p-10);
  p = fma(p, z, 0x1.b92c938d403d2p-11);
  p = fma(p, z, -0x1.38134e166afcdp-11);
  p = fma(p, z, 0x1.a01a017e8adc5p-11);
  p = fma(p, z, -0x1.6c16c16c14af7p-9);
  p = fma(p, z, 0x1.5555555555555p-4);
  return p * r;
}

// log gamma of a > 0.
static __device__ double irgl_lgamma_part(double a) {
  double t, p;
  if (a < 1.5) {
    t = a < 0.5 ? a : a - 1.0;
    // log gamma(1+t) / t for |t| <= 1/2, to 2^-56.4 of the whole
    p = 0x1.a5d54d5e8b47cp-3;
    p = fma(p, t, -0x1.cd1af1ded576dp-3);
    p = fma(p, t, -0x1.07cef02e8ccb2p-3);
    p = fma(p, t, 0x1.3a86903e7568p-3);
    p = fma(p, t, 0x1.0074be0f0a18fp-3);
    p = fma(p, t, -0x1.29f2e43dcf9f2p-3);
    p = fma(p, t, 0x1.4643725311ac2p-6);
    p = fma(p, t, -0x1.d49a12f7c74acp-7);
    p = fma(p, t, 0x1.c380eeb876c78p-5);
    p = fma(p, t, -0x1.eabfb17122b0ap-5);
    p = fma(p, t, 0x1.c17fef1fb08bcp-5);
    p = fma(p, t, -0x1.d8e6b436670c9p-5);
    p = fma(p, t, 0x1.004073688cabp-4);
    p = fma(p, t, -0x1.118c1a0f0f448p-4);
    p = fma(p, t, 0x1.24936a4b2b25p-4);
    p = fma(p, t, -0x1.3b14cc19fc2b1p-4);
    p = fma(p, t, 0x1.556aedaca8f9p-4);
    p = fma(p, t, -0x1.748ca19bcc788p-4);
    p = fma(p, t, 0x1.9a01e3b3a4699p-4);
    p = fma(p, t, -0x1.c8066cecb8d22p-4);
    p = fma(p, t, 0x1.010b36ab8c958p-3);
    p = fma(p, t, -0x1.2703a1e5655d3p-3);
    p = fma(p, t, 0x1.5b40cb1026687p-3);
    p = fma(p, t, -0x1.a8b9c17a90b4cp-3);
    p = fma(p, t, 0x1.151322ac7d64bp-2);
    p = fma(p, t, -0x1.9a4d55beab38p-2);
    p = fma(p, t, 0x1.a51a6625307d4p-1);
    p = fma(p, t, -0x1.2788cfc6fb619p-1);
    return a < 0.5 ? fma(t, p, -irgl_log(a)) : fma(t, p, 0.0); // +0 for 1
  }
  if (a < 2.5) {
    t = a - 2.0;
    // log gamma(2+t) / t for |t| <= 1/2, to 2^-56.4 of the whole
    p = 0x1.3fa9e3e6b5a7bp-22;
    p = fma(p, t, -0x1.37b696ed9ed06p-21);
    p = fma(p, t, 0x1.e3209f018136cp-21);
    p = fma(p, t, -0x1.090e8f7ffa806p-19);
    p = fma(p, t, 0x1.26d82fb9700e9p-18);
    p = fma(p, t, -0x1.3d4b1849ce1f8p-17);
    p = fma(p, t, 0x1.57fe0b84bbedcp-16);
    p = fma(p, t, -0x1.78d910db7cb7ep-15);
    p = fma(p, t, 0x1.a1282797feae6p-14);
    p = fma(p, t, -0x1.d3fd69d921dd8p-13);
    p = fma(p, t, 0x1.0b36ae815e4afp-11);
    p = fma(p, t, -0x1.38ac5bfe59904p-10);
    p = fma(p, t, 0x1.7add6eb022f4fp-9);
    p = fma(p, t, -0x1.e404fc21d6146p-8);
    p = fma(p, t, 0x1.51322ac7d6f88p-6);
    p = fma(p, t, -0x1.13e001a55755ep-4);
    p = fma(p, t, 0x1.4a34cc4a60fa8p-2);
    p = fma(p, t, 0x1.b0ee6072093cep-2);
    return fma(t, p, 0.0);
  }
  if (a < 8.0) {
    double product = 1.0;
    while (a >= 3.5) {
      a = a - 1.0;
      product = product * a;
    }
    t = a - 3.0;
    // log gamma(3+t) for |t| <= 1/2, to 2^-59.4 of the whole
    p = -0x1.7e6c13144a632p-28;
    p = fma(p, t, 0x1.1fb5a4fc06e2p-26);
    p = fma(p, t, -0x1.a43566033c575p-25);
    p = fma(p, t, 0x1.5ae53b6bf6c38p-23);
    p = fma(p, t, -0x1.2068c04ba58a9p-21);
    p = fma(p, t, 0x1.e38ed40d53a07p-20);
    p = fma(p, t, -0x1.9c1ad3bfbf5dbp-18);
    p = fma(p, t, 0x1.66d5e0387a979p-16);
    p = fma(p, t, -0x1.41a1313d6792dp-14);
    p = fma(p, t, 0x1.2c40cad379a1bp-12);
    p = fma(p, t, -0x1.29ad8a1f38p-10);
    p = fma(p, t, 0x1.44c8ab1f59318p-8);
    p = fma(p, t, -0x1.a4d55beab30fbp-6);
    p = fma(p, t, 0x1.94699894c1f58p-3);
    p = fma(p, t, 0x1.d8773039049e7p-1);
    p = fma(p, t, 0x1.62e42fefa39efp-1);
    return product == 1.0 ? p : p + irgl_log(product);
  }
  double low, l = irgl_log_pair(fmin(a, 0x1p1023), 0, &low);
  double h = a - 0.5;
  double r = fma(h, low, irgl_stirling(a) + 0x1.acfe390c97d69p-2);
  return fma(h, l - 1.0, r);
}

static __device__ double irgl_lgamma(double x) {
  double a = fabs(x);
  if (!(a < INFINITY)) {
    return x != x ? x : INFINITY;
  }
  if (a < 0x1p-70) {
    return a == 0.0 ? INFINITY : -irgl_log(a);
  }
  double r = irgl_lgamma_part(a);
  if (x < 0.0) { // gamma(-a) gamma(a) = -pi / (a sin(pi a))
    double s = fabs(irgl_sinpi(a));
    r = s == 0.0 ? INFINITY : irgl_log(0x1.921fb54442d18p+1 / (a * s)) - r;
  }
  return r;
}

static __device__ float irgl_lgammaf(float x) {
  return (float)irgl_lgamma((double)x);
}

// log gamma of a >= 8 to 2^-60 as the result and *low.
static __device__ __forceinline__ double irgl_lgamma_pair(double a, double *low) {
  double l2, l = irgl_log_pair(a, 0, &l2);
  double h = a - 0.5;
  double p = __dmul_rn(h, l);
  double plow = fma(h, l2, fma(h, l, -p));
  double s = __dadd_rn(p, -a); // p > a
  plow = plow + ((p - s) - a);
  double c = irgl_stirling(a) + (-0x1.65b5a1b7ff5dfp-55);
  double r = __dadd_rn(s, 0x1.d67f1c864beb5p-1);
  *low = plow + ((s - r) + 0x1.d67f1c864beb5p-1 + c);
  return r;
}

static __device__ double irgl_tgamma(double x) {
  double a = fabs(x);
  if (a < 0x1p-60) {
    return 1.0 / x;
  }
  if (!(a < INFINITY) || x < 0.0 && trunc(x) == x) {
    return x > 0.0 ? x : x != x ? x : NAN;
  }
  double r;
  if (a >= 8.0) {
    double low, l = irgl_lgamma_pair(fmin(a, 300.0), &low);
    if (x > 0.0) {
      return irgl_exp_pair(l, low, 0);
    }
    r = irgl_exp_pair(-l, -low, 300); // 2^300 keeps it normal
    return -(0x1.921fb54442d18p+1 * r / (a * irgl_sinpi(a))) * 0x1p-300;
  }
  double product = 1.0, b = a;
  while (b >= 2.5) {
    b = b - 1.0;
    product = product * b;
  }
  double divisor = 1.0;
  while (b < 1.5) {
    divisor = divisor * b;
    b = b + 1.0;
  }
  double t = b - 2.0;
  // gamma(2+t) for |t| <= 1/2, to 2^-56.5 of the whole
  double p = 0x1.6f855ade1722ep-19;
  p = fma(p, t, -0x1.5a5dcaeef7197p-18);
  p = fma(p, t, 0x1.dbd3c83c286b9p-18);
  p = fma(p, t, -0x1.e75d1da303b9p-17);
  p = fma(p, t, 0x1.00fc85728adf1p-15);
  p = fma(p, t, -0x1.ffa24b1e5744p-15);
  p = fma(p, t, 0x1.fe2e81bad11cap-14);
  p = fma(p, t, -0x1.f938f16faf93bp-13);
  p = fma(p, t, 0x1.011b726d30a6ep-11);
  p = fma(p, t, -0x1.e21f8aeaf49d3p-11);
  p = fma(p, t, 0x1.13c446be0633cp-9);
  p = fma(p, t, -0x1.75e6e76d6d00cp-9);
  p = fma(p, t, 0x1.6d7eead26f98fp-7);
  p = fma(p, t, -0x1.17f3747529ed3p-12);
  p = fma(p, t, 0x1.301fbb0f1f956p-4);
  p = fma(p, t, 0x1.4e2399846677ep-4);
  p = fma(p, t, 0x1.a5b978b96bef5p-2);
  p = fma(p, t, 0x1.b0ee6072093c8p-2);
  p = fma(p, t, 0x1p+0);
  if (x > 0.0) {
    return p * product / divisor;
  }
  return -0x1.921fb54442d18p+1 * divisor / (a * irgl_sinpi(a) * (p * product));
}

static __device__ float irgl_tgammaf(float x) {
  return (float)irgl_tgamma((double)x);
}
