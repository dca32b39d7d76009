// Debian's event-config.h defines _GNU_SOURCE itself; features.h must come first or fd_set differs between modules.
#include <features.h>

#include <event2/dns.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <event2/util.h>
