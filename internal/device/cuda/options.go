package cuda

// Options change how a GPU is used.
type Options struct {
	// Unoptimised has the driver's assembler optimise nothing. An answer that
	// is right with it alone was made wrong by the assembler.
	Unoptimised bool
}
