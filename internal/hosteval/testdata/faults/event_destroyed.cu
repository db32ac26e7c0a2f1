// An event is used after it is destroyed.
int main() {
	cudaEvent_t e;
	cudaEventCreate(&e);
#ifdef REPAIRED
	cudaEventRecord(e);
	cudaEventDestroy(e);
#else
	cudaEventDestroy(e);
	cudaEventRecord(e); // FAULT call-failed
#endif
}
