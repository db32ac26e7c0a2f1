// Occurrences of a short pattern at each place of a text.
//bench suite bytes
//bench size n 8192 67108864
//bench buffer text i8 n+16 uniform 97 99
//bench buffer pattern i8 8 uniform 97 99
//bench buffer hits u8 n zero out
//bench launch string_match grid n/256 block 256 args text pattern hits i32:5
extern "C" __global__ void string_match(const char *text, const char *pattern, unsigned char *hits, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = 0;
  while (k < m && text[i + k] == pattern[k])
    k++;
  hits[i] = k == m ? 255 : k;
}
