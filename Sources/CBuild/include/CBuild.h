// The commit that the program was built from, given by ATTACHE_COMMIT at build time; empty without it.
const char *attache_build_commit(void);
