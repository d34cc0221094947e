// Everything of liblmdb that LMDB uses is imported as it is; no wrapper is needed.
#include <lmdb.h>
