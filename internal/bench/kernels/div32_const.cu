// Days made years, months and days, seconds made clock times: divisions by constants.
//bench suite integer
//bench size n 4096 67108864
//bench buffer seconds u32 n uniform 0 4294967295
//bench buffer out u32 n zero out
//bench launch div32_const grid n/256 block 256 args seconds out
extern "C" __global__ void div32_const(const unsigned *seconds, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = seconds[i];
  unsigned days = s / 86400, rest = s % 86400;
  unsigned hour = rest / 3600, minute = rest % 3600 / 60, second = rest % 60;
  int z = (int)days + 719468;
  int era = z / 146097;
  int doe = z % 146097;
  int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  int mp = (5 * doy + 2) / 153;
  int day = doy - (153 * mp + 2) / 5 + 1;
  int month = mp < 10 ? mp + 3 : mp - 9;
  int year = yoe + era * 400 + (month <= 2);
  out[i] = (unsigned)((year * 16 + month) * 32 + day) * 7 + (hour * 60 + minute) * 60 + second;
}
