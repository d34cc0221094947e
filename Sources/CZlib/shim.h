#pragma once
#include <zlib.h>

// deflateInit2 and inflateInit2 are macros that pass the header's version, which Swift does not import.
// A window of 4 KiB holds the dictionary and a notification, and little memory is quickly copied.
static inline int subledger_deflateInitRaw(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -12, 5, Z_DEFAULT_STRATEGY);
}

static inline int subledger_inflateInitRaw(z_stream *stream) {
    return inflateInit2(stream, -MAX_WBITS);
}
