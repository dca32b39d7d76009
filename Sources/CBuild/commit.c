#include "CBuild.h"

#ifndef ATTACHE_COMMIT
#define ATTACHE_COMMIT ""
#endif

const char *attache_build_commit(void) { return ATTACHE_COMMIT; }
