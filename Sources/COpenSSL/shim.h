#include <features.h>

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <stdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

// Functions for OpenSSL's macros.

static inline void attache_ssl_ctx_require_tls12(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

// Writes may be partial and repeated from another address; an idle connection holds no record buffer.
static inline void attache_ssl_ctx_stream_mode(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

// Sessions are passed to `keep` and stored nowhere else.
static inline void attache_ssl_ctx_client_sessions(SSL_CTX *context, int (*keep)(SSL *, SSL_SESSION *)) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, keep);
}

static inline int attache_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

// The DNS names and addresses in a certificate's subjectAltName, joined by ", " and cut to `capacity`; empty if it
// has none.
static inline void attache_certificate_names(X509 *certificate, char *text, size_t capacity) {
    size_t count = 0;
    text[0] = 0;
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        char address[64];
        const char *bytes = NULL;
        size_t length = 0;
        if (name->type == GEN_DNS) {
            bytes = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
            length = (size_t)ASN1_STRING_length(name->d.dNSName);
        } else if (name->type == GEN_IPADD) {
            const unsigned char *ip = ASN1_STRING_get0_data(name->d.iPAddress);
            int ip_length = ASN1_STRING_length(name->d.iPAddress);
            if (ip_length == 4) {
                length = (size_t)snprintf(address, sizeof address, "%d.%d.%d.%d", ip[0], ip[1], ip[2], ip[3]);
            } else if (ip_length == 16) {
                for (int k = 0; k < 16; k += 2)
                    length += (size_t)snprintf(
                        address + length, sizeof address - length, k ? ":%x" : "%x", ip[k] << 8 | ip[k + 1]);
            }
            bytes = address;
        }
        if (length == 0 || count + length + 3 > capacity) continue;
        if (count > 0) {
            memcpy(text + count, ", ", 2);
            count += 2;
        }
        memcpy(text + count, bytes, length);
        count += length;
        text[count] = 0;
    }
    GENERAL_NAMES_free(names);
    // The peer chose these bytes, and they are logged.
    for (char *c = text; *c != 0; c++)
        if (*c < 0x20 || *c > 0x7e) *c = '?';
}

// For encrypted PEM: without a callback, OpenSSL asks for the password on the terminal.
static inline int attache_pem_no_password(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

static inline EVP_PKEY *attache_pem_private_key(BIO *input) {
    return PEM_read_bio_PrivateKey(input, NULL, attache_pem_no_password, NULL);
}

static inline EVP_PKEY *attache_p256_key(void) {
    return EVP_EC_gen("P-256");
}

static inline X509 *attache_pem_certificate(BIO *input) {
    return PEM_read_bio_X509(input, NULL, attache_pem_no_password, NULL);
}

// Also accepts OpenSSL's own form, TRUSTED CERTIFICATE.
static inline X509 *attache_pem_trusted_certificate(BIO *input) {
    return PEM_read_bio_X509_AUX(input, NULL, attache_pem_no_password, NULL);
}

// When the peer's certificate expires, in seconds since 1970; false without a certificate.
static inline bool attache_ssl_peer_certificate_end(const SSL *ssl, int64_t *end) {
    const X509 *certificate = SSL_get0_peer_certificate(ssl);
    struct tm time;
    if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return false;
    *end = timegm(&time);
    return true;
}

// Passes ownership of the certificate to the context.
static inline int attache_ssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}
