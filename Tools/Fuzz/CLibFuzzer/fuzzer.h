#include <stddef.h>
#include <stdint.h>

/// The main loop of libFuzzer, which clang's runtime contains without a header:
/// https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
