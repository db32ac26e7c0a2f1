// A machine with an accumulator and eight registers: a loop around a switch.
//bench suite integer
//bench size n 256 524288
//bench buffer code u8 128 uniform 0 255
//bench buffer in i32 n uniform -1000 1000
//bench buffer out i32 n zero out
//bench launch interpreter grid n/128 block 128 args code in out i32:n i32:200
extern "C" __global__ void interpreter(const unsigned char *code, const int *in, int *out, int n, int steps) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int r[8];
  for (int i = 0; i < 8; i++)
    r[i] = in[t] + i;
  unsigned acc = in[t];
  int pc = 0;
  for (int s = 0; s < steps; s++) {
    int op = code[pc & 127], a = op & 7;
    pc++;
    switch (op >> 3 & 15) {
    case 0: acc += r[a]; break;
    case 1: acc -= r[a]; break;
    case 2: acc *= r[a]; break;
    case 3: acc ^= r[a]; break;
    case 4: acc &= r[a] | 255; break;
    case 5: acc |= r[a]; break;
    case 6: acc <<= a; break;
    case 7: acc >>= a; break;
    case 8: r[a] = acc; break;
    case 9: acc = r[a]; break;
    case 10: if (acc & 1) pc += a; break;
    case 11: if ((int)acc < r[a]) pc += 2; break;
    case 12: acc = acc % (unsigned)(a + 2); break;
    case 13: acc = acc / (unsigned)(a + 3); break;
    case 14: acc = ~acc; break;
    default: acc += pc;
    }
  }
  out[t] = acc;
}
