#pragma once

// No header of the C library is included, because HTTPWire links nothing but the language's runtime.

// Searches in bytes, sixteen at a time; the compiler inlines them into Swift, whose own vectors compile to loops over
// bytes. Each one reads `count` bytes and no more.

typedef long cbytescan_size;
typedef unsigned char cbytescan_vector __attribute__((vector_size(16)));
typedef unsigned long long cbytescan_halves __attribute__((vector_size(16)));

// The position of the first byte of `marks` that is not zero, all of them 0x00 or 0xFF; 16 if there is none.
static inline cbytescan_size cbytescan_first(cbytescan_vector marks) {
#ifdef __x86_64__
    typedef char chars __attribute__((vector_size(16)));
    return (cbytescan_size)__builtin_ctz((unsigned)__builtin_ia32_pmovmskb128((chars)marks) | 1u << 16);
#else
    cbytescan_halves halves = (cbytescan_halves)marks;
    if (halves[0] != 0) return (cbytescan_size)__builtin_ctzll(halves[0]) >> 3;
    return halves[1] != 0 ? 8 + ((cbytescan_size)__builtin_ctzll(halves[1]) >> 3) : 16;
#endif
}

#define CBYTESCAN(is_end_of_vector, is_end)                                                                            \
    cbytescan_size index = 0;                                                                                          \
    for (; count - index >= 16; index += 16) {                                                                         \
        cbytescan_vector text;                                                                                         \
        __builtin_memcpy(&text, bytes + index, 16);                                                                    \
        cbytescan_size first = cbytescan_first((cbytescan_vector)(is_end_of_vector));                                  \
        if (first < 16) return index + first;                                                                          \
    }                                                                                                                  \
    if (count >= 16 && index < count) {                                                                                \
        /* The last sixteen bytes again, of which the first ones are none of the wanted. */                            \
        cbytescan_vector text;                                                                                         \
        __builtin_memcpy(&text, bytes + count - 16, 16);                                                               \
        return count - 16 + cbytescan_first((cbytescan_vector)(is_end_of_vector));                                     \
    }                                                                                                                  \
    for (; index < count; index++) {                                                                                   \
        unsigned char byte = bytes[index];                                                                             \
        if (is_end) break;                                                                                             \
    }                                                                                                                  \
    return index

// The position of the first byte that is not visible ASCII or is "#", or `count`.
static inline cbytescan_size cbytescan_end_of_target(const unsigned char *bytes, cbytescan_size count) {
    CBYTESCAN((text < 0x21) | (text > 0x7E) | (text == '#'), byte < 0x21 || byte > 0x7E || byte == '#');
}

// The position of the first byte that is not printable ASCII or is a question mark, a quotation mark or a backslash, or
// `count`.
static inline cbytescan_size cbytescan_end_of_plain_target(const unsigned char *bytes, cbytescan_size count) {
    CBYTESCAN(
        (text < 0x20) | (text > 0x7E) | (text == '"') | (text == '?') | (text == '\\'),
        byte < 0x20 || byte > 0x7E || byte == '"' || byte == '?' || byte == '\\');
}

// The position of the first control byte other than a tab, or `count`.
static inline cbytescan_size cbytescan_end_of_field_content(const unsigned char *bytes, cbytescan_size count) {
    CBYTESCAN(
        ((text < 0x20) & (text != '\t')) | (text == 0x7F), (byte < 0x20 && byte != '\t') || byte == 0x7F);
}

// The position of the first byte equal to `wanted`, or `count`.
static inline cbytescan_size cbytescan_find(const unsigned char *bytes, cbytescan_size count, unsigned char wanted) {
    CBYTESCAN(text == wanted, byte == wanted);
}

static inline _Bool cbytescan_equals(const unsigned char *one, const unsigned char *other, cbytescan_size count) {
    return __builtin_memcmp(one, other, count) == 0;
}

#undef CBYTESCAN
