// The commit that the program was built from, as ATTACHE_COMMIT named it at build time; empty where it did not.
const char *attache_build_commit(void);
