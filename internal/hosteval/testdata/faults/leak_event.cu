// An event is not destroyed. LEAKS
int main() {
	cudaEvent_t e;
	cudaEventCreate(&e); // FAULT leak
#ifdef REPAIRED
	cudaEventDestroy(e);
#endif
}
