// Before anything else, as in CLibevent: glibc's types must look the same in both modules.
#include <features.h>

#include <ares.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// The state that the sockets of one channel share with its owner.
typedef struct {
    // The errno of the last socket; 0 if it could be opened.
    int failure;
    // The interface of link-local name servers, which c-ares 1.18 does not keep.
    uint32_t scope;
} attache_ares_sockets;

static inline ares_socket_t attache_ares_open(int family, int type, int protocol, void *context) {
    int opened = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    ((attache_ares_sockets *)context)->failure = opened < 0 ? errno : 0;
    if (opened >= 0 && type == SOCK_STREAM) {
        int on = 1;
        setsockopt(opened, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return opened;
}

static inline int attache_ares_close(ares_socket_t socket, void *context) {
    (void)context;
    return close(socket);
}

static inline int attache_ares_connect(
    ares_socket_t socket, const struct sockaddr *address, ares_socklen_t length, void *context) {
    struct sockaddr_in6 in6;
    if (address->sa_family == AF_INET6 && length >= sizeof in6) {
        memcpy(&in6, address, sizeof in6);
        if (IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr)) in6.sin6_scope_id = ((attache_ares_sockets *)context)->scope;
        return connect(socket, (const struct sockaddr *)&in6, sizeof in6);
    }
    return connect(socket, address, length);
}

static inline ares_ssize_t attache_ares_receive(
    ares_socket_t socket, void *bytes, size_t count, int flags, struct sockaddr *from, ares_socklen_t *length,
    void *context) {
    (void)context;
    return recvfrom(socket, bytes, count, flags, from, length);
}

// Never raises SIGPIPE, as c-ares' own writev would on a TCP connection that the name server has reset.
static inline ares_ssize_t attache_ares_send(ares_socket_t socket, const struct iovec *parts, int count, void *context) {
    (void)context;
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts, .msg_iovlen = (size_t)count};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Makes a channel that reads no file but /dev/urandom: every option that c-ares would look up elsewhere is given.
//
// The channel has no servers. `state` is called with `context`; `context` and `sockets` must outlive the channel.
static inline int attache_ares_make(
    ares_channel *channel, int timeout, int tries, int size, ares_sock_state_cb state, void *context,
    attache_ares_sockets *sockets) {
    static const struct ares_socket_functions functions = {
        .asocket = attache_ares_open,
        .aclose = attache_ares_close,
        .aconnect = attache_ares_connect,
        .arecvfrom = attache_ares_receive,
        .asendv = attache_ares_send,
    };
    char lookups[] = "b";
    struct ares_options options = {
        .flags = ARES_FLAG_EDNS,
        .timeout = timeout,
        .tries = tries,
        .ednspsz = size,
        .lookups = lookups,
        .sock_state_cb = state,
        .sock_state_cb_data = context,
    };
    int status = ares_init_options(
        channel, &options,
        ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SERVERS | ARES_OPT_DOMAINS
            | ARES_OPT_LOOKUPS | ARES_OPT_SORTLIST | ARES_OPT_NOROTATE | ARES_OPT_EDNSPSZ | ARES_OPT_SOCK_STATE_CB);
    if (status == ARES_SUCCESS) ares_set_socket_functions(*channel, &functions, sockets);
    return status;
}

// In milliseconds, rounded up so that nothing is processed early; -1 if no question is in progress.
static inline int64_t attache_ares_timeout(ares_channel channel) {
    struct timeval timeout;
    if (ares_timeout(channel, NULL, &timeout) == NULL) return -1;
    return (int64_t)timeout.tv_sec * 1000 + timeout.tv_usec / 1000 + 1;
}

