// Debian's event-config.h defines _GNU_SOURCE itself; features.h must come first or fd_set differs between modules.
#include <features.h>

#include <event2/event.h>
#include <event2/thread.h>
#include <event2/util.h>

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// Declared for GNU sources only, which Swift's view of glibc is not.
#ifndef __USE_GNU
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern int pthread_setname_np(pthread_t, const char *);
extern long syscall(long, ...);
#endif

// An IP address and port as plain numbers in host order, so that Swift never sees a sockaddr.
// An IPv4 address is the low 32 bits of `low`.
typedef struct {
    uint64_t high;
    uint64_t low;
    uint32_t scope;
    uint16_t port;
    bool is_ipv6;
} attache_address;

static inline uint64_t attache_load64(const uint8_t *bytes) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value = value << 8 | bytes[i];
    return value;
}

static inline void attache_store64(uint8_t *bytes, uint64_t value) {
    for (int i = 7; i >= 0; i--, value >>= 8) bytes[i] = (uint8_t)value;
}

static inline attache_address attache_address_from_in6(const struct in6_addr *in6) {
    attache_address address = {0};
    address.is_ipv6 = true;
    address.high = attache_load64(in6->s6_addr);
    address.low = attache_load64(in6->s6_addr + 8);
    // ::ffff:a.b.c.d is how a dual-stack socket shows an IPv4 peer.
    if (address.high == 0 && address.low >> 32 == 0xffff) {
        address.is_ipv6 = false;
        address.low &= 0xffffffff;
    }
    return address;
}

static inline attache_address attache_address_from_in(struct in_addr in) {
    return (attache_address){.low = ntohl(in.s_addr)};
}

// False for families other than IPv4 and IPv6.
static inline bool attache_address_read(const struct sockaddr *from, attache_address *address) {
    if (from->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)from;
        *address = (attache_address){.low = ntohl(in->sin_addr.s_addr), .port = ntohs(in->sin_port)};
        return true;
    }
    if (from->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)from;
        *address = attache_address_from_in6(&in6->sin6_addr);
        address->port = ntohs(in6->sin6_port);
        if (address->is_ipv6) address->scope = in6->sin6_scope_id;
        return true;
    }
    return false;
}

static inline socklen_t attache_address_fill(attache_address address, struct sockaddr_storage *storage) {
    memset(storage, 0, sizeof *storage);
    if (!address.is_ipv6) {
        struct sockaddr_in *in = (struct sockaddr_in *)(void *)storage;
        in->sin_family = AF_INET;
        in->sin_port = htons(address.port);
        in->sin_addr.s_addr = htonl((uint32_t)address.low);
        return sizeof *in;
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)(void *)storage;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = htons(address.port);
    in6->sin6_scope_id = address.scope;
    attache_store64(in6->sin6_addr.s6_addr, address.high);
    attache_store64(in6->sin6_addr.s6_addr + 8, address.low);
    return sizeof *in6;
}

static inline bool attache_address_parse(const char *text, attache_address *address) {
    struct in_addr in;
    if (inet_pton(AF_INET, text, &in) == 1) {
        *address = (attache_address){.low = ntohl(in.s_addr)};
        return true;
    }
    char plain[INET6_ADDRSTRLEN];
    uint32_t scope = 0;
    const char *zone = strchr(text, '%');
    if (zone != NULL) {
        size_t length = (size_t)(zone - text);
        if (length >= sizeof plain) return false;
        memcpy(plain, text, length);
        plain[length] = 0;
        scope = if_nametoindex(zone + 1);
        if (scope == 0) return false;
        text = plain;
    }
    struct in6_addr in6;
    if (inet_pton(AF_INET6, text, &in6) != 1) return false;
    *address = attache_address_from_in6(&in6);
    if (address->is_ipv6) address->scope = scope;
    return true;
}

// `text` has room for INET6_ADDRSTRLEN bytes.
static inline void attache_address_print(attache_address address, char *text) {
    struct sockaddr_storage storage;
    attache_address_fill(address, &storage);
    const void *from = address.is_ipv6 ? (const void *)&((struct sockaddr_in6 *)(void *)&storage)->sin6_addr
                                       : (const void *)&((struct sockaddr_in *)(void *)&storage)->sin_addr;
    if (inet_ntop(storage.ss_family, from, text, INET6_ADDRSTRLEN) == NULL) text[0] = 0;
}

static inline int attache_socket_open(bool is_ipv6) {
    return socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static inline int attache_socket_set(int socket, int level, int option, int value) {
    return setsockopt(socket, level, option, &value, sizeof value);
}

static inline int attache_socket_no_delay(int socket) { return attache_socket_set(socket, IPPROTO_TCP, TCP_NODELAY, 1); }

// Congestion control that does not pace, which every Linux has. A connection over loopback has no bottleneck to find,
// and the bookkeeping of a system's "bbr" takes 4 % of the CPU time of a request.
static inline int attache_socket_no_pacing(int socket) {
    static const char name[] = "reno";
    return setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, sizeof name - 1);
}

// Acknowledges the received bytes now; the kernel returns to delayed acknowledgements by itself (tcp(7)).
static inline int attache_socket_acknowledge(int socket) {
    return attache_socket_set(socket, IPPROTO_TCP, TCP_QUICKACK, 1);
}

static inline int attache_socket_reuse_address(int socket) {
    return attache_socket_set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
}

static inline int attache_socket_reuse_port(int socket) {
    return attache_socket_set(socket, SOL_SOCKET, SO_REUSEPORT, 1);
}

// With this, close() resets the connection and drops what is not yet sent.
static inline int attache_socket_reset_on_close(int socket) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    return setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static inline int attache_socket_bind(int socket, attache_address address) {
    struct sockaddr_storage storage;
    socklen_t length = attache_address_fill(address, &storage);
    return bind(socket, (const struct sockaddr *)&storage, length);
}

static inline int attache_socket_connect(int socket, attache_address address) {
    struct sockaddr_storage storage;
    socklen_t length = attache_address_fill(address, &storage);
    return connect(socket, (const struct sockaddr *)&storage, length);
}

// The number of sent bytes that the peer's system has not acknowledged yet.
static inline int attache_socket_unacknowledged(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

// The errno of a connection attempt that has ended; 0 if it succeeded.
static inline int attache_socket_error(int socket) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
    return error;
}

static inline bool attache_socket_local(int socket, attache_address *address) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    if (getsockname(socket, (struct sockaddr *)&storage, &length) != 0) return false;
    return attache_address_read((const struct sockaddr *)&storage, address);
}

static inline int attache_socket_accept(int listener, attache_address *peer, bool *has_peer) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    storage.ss_family = AF_UNSPEC;
    int accepted = accept4(listener, (struct sockaddr *)&storage, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    *has_peer = accepted >= 0 && attache_address_read((const struct sockaddr *)&storage, peer);
    return accepted;
}

// One system call, made in the caller's own code: 0 and above, or -1 with errno.
//
// The calls of each request go around the C library, for two reasons. Some kernels clear the processor's return
// predictions at every system call, so the processor mispredicts the C library's return. Calls without that return take
// a tenth less CPU time per request on these machines. And recv(2) and send(2) are cancellation points: in a process
// with threads, the C library prepares each call for a cancellation of its thread, which Attaché never asks for.
__attribute__((always_inline)) static inline ssize_t attache_system_call(
    long number, long first, long second, long third, long fourth, long fifth, long sixth) {
#if defined(__x86_64__)
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    register long r9 __asm__("r9") = sixth;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory", "cc");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    register long x4 __asm__("x4") = fifth;
    register long x5 __asm__("x5") = sixth;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory", "cc");
    long result = x0;
#else
    long result = syscall(number, first, second, third, fourth, fifth, sixth);
    if (result < 0) result = -errno;
#endif
    if (__builtin_expect(result >= 0, 1)) return result;
    errno = (int)-result;
    return -1;
}

static inline ssize_t attache_socket_receive(int socket, void *buffer, size_t size) {
    return attache_system_call(SYS_recvfrom, socket, (long)(uintptr_t)buffer, (long)size, 0, 0, 0);
}

// Sends one segment or two in one system call; never raises SIGPIPE.
static inline ssize_t attache_socket_send(int socket, const void *first, size_t first_count) {
    return attache_system_call(SYS_sendto, socket, (long)(uintptr_t)first, (long)first_count, MSG_NOSIGNAL, 0, 0);
}

static inline ssize_t attache_socket_send2(
    int socket, const void *first, size_t first_count, const void *second, size_t second_count) {
    struct iovec parts[2] = {
        {.iov_base = (void *)(uintptr_t)first, .iov_len = first_count},
        {.iov_base = (void *)(uintptr_t)second, .iov_len = second_count},
    };
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    return attache_system_call(SYS_sendmsg, socket, (long)(uintptr_t)&message, MSG_NOSIGNAL, 0, 0, 0);
}

// The address of a Unix socket; a first "@" stands for the zero byte of an abstract name. The length is 0 if the name is
// empty or too long.
static inline socklen_t attache_unix_fill(const uint8_t *name, size_t count, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (count == 0 || count >= sizeof address->sun_path) return 0;
    memcpy(address->sun_path, name, count);
    bool is_abstract = address->sun_path[0] == '@';
    if (is_abstract) address->sun_path[0] = '\0';
    // A path ends in a zero byte; in an abstract name, that byte would be a part of the name.
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (is_abstract ? 0 : 1));
}

static inline int attache_unix_open(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static inline int attache_unix_bind(int socket, const uint8_t *name, size_t count) {
    struct sockaddr_un address;
    socklen_t length = attache_unix_fill(name, count, &address);
    if (length == 0) return errno = ENAMETOOLONG, -1;
    return bind(socket, (const struct sockaddr *)&address, length);
}

static inline int attache_unix_connect(int socket, const uint8_t *name, size_t count) {
    struct sockaddr_un address;
    socklen_t length = attache_unix_fill(name, count, &address);
    if (length == 0) return errno = ENAMETOOLONG, -1;
    return connect(socket, (const struct sockaddr *)&address, length);
}

// Whether a descriptor is a stream socket that listens.
static inline bool attache_socket_listens(int socket) {
    int type = 0, listens = 0;
    socklen_t length = sizeof type;
    if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) return false;
    length = sizeof listens;
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens != 0;
}

// The path of a Unix socket, or "@" and its abstract name, of at most `room` bytes; -1 for another socket.
static inline ssize_t attache_unix_local(int socket, uint8_t *name, size_t room) {
    struct sockaddr_un address = {.sun_family = AF_UNSPEC};
    socklen_t length = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX) return -1;
    size_t count = length > sizeof address ? sizeof address.sun_path : length - offsetof(struct sockaddr_un, sun_path);
    bool is_abstract = count > 0 && address.sun_path[0] == '\0';
    if (!is_abstract) count = strnlen(address.sun_path, count);
    if (count > room) count = room;
    memcpy(name, address.sun_path, count);
    if (is_abstract) name[0] = '@';
    return (ssize_t)count;
}

// The process that connected a Unix socket, or made the pair; false for other sockets.
static inline bool attache_unix_peer(int socket, uid_t *user, gid_t *group, pid_t *process) {
    struct { pid_t process; uid_t user; gid_t group; } peer; // struct ucred, which is for GNU sources only
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || length != sizeof peer) return false;
    *user = peer.user;
    *group = peer.group;
    *process = peer.process;
    // What the system answers for a socket that is no Unix socket.
    return peer.process != 0 || peer.user != (uid_t)-1;
}

// The supplementary groups of that process. `count` is the room in `groups`, and then how many it has, also if the room
// is too small (ERANGE).
static inline bool attache_unix_peer_groups(int socket, gid_t *groups, size_t *count) {
    socklen_t length = (socklen_t)(*count * sizeof *groups);
    bool is_read = getsockopt(socket, SOL_SOCKET, 59 /* SO_PEERGROUPS, Linux 4.13 */, groups, &length) == 0;
    *count = length / sizeof *groups;
    return is_read;
}

// Sets the owner of a file that may be open only by its name (O_PATH); -1 keeps the user or the group.
static inline int attache_file_own(int file, uid_t user, gid_t group) {
    return fchownat(file, "", user, group, 0x1000 /* AT_EMPTY_PATH */);
}

// Sends one datagram to a Unix socket. Never waits: the loop calls it, and a stalled reader must not stop requests.
static inline bool attache_notify(const uint8_t *name, size_t name_count, const uint8_t *message, size_t count) {
    struct sockaddr_un address;
    socklen_t length = attache_unix_fill(name, name_count, &address);
    if (length == 0) return false;
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return false;
    int flags = MSG_NOSIGNAL | MSG_DONTWAIT;
    ssize_t sent = sendto(descriptor, message, count, flags, (const struct sockaddr *)&address, length);
    close(descriptor);
    return sent == (ssize_t)count;
}

static inline int attache_thread_set_name(const char *name) { return pthread_setname_np(pthread_self(), name); }

static inline int attache_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// The file system's type (`f_type` of statfs(2)); 0 for an error.
static inline uint32_t attache_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (uint32_t)status.f_type : 0;
}

// Takes the next notice off the bytes of an inotify descriptor: the watch, and the name's range, which may be empty.
// Moves `offset` behind it; false at the end.
static inline bool attache_next_notice(
    const uint8_t *bytes, size_t count, size_t *offset, int *watch, size_t *name, size_t *name_count) {
    struct inotify_event event;
    if (count - *offset < sizeof event) return false;
    memcpy(&event, bytes + *offset, sizeof event);
    size_t start = *offset + sizeof event;
    if (count - start < event.len) return false;
    *watch = event.wd;
    *name = start;
    *name_count = strnlen((const char *)bytes + start, event.len);
    *offset = start + event.len;
    return true;
}

// A negative number means no timeout. Rounded up to libevent's microseconds, so that nothing fires early.
static inline int attache_event_add(struct event *event, int64_t nanoseconds) {
    if (nanoseconds < 0) return event_add(event, NULL);
    int64_t microseconds = nanoseconds / 1000 + (nanoseconds % 1000 != 0);
    struct timeval timeout = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000};
    return event_add(event, &timeout);
}

// prctl takes variable arguments, so Swift cannot call it.
static inline void attache_forbid_core_dumps(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
