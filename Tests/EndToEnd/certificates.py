"""Certificates and keys for one run, made by the `openssl` command."""

import dataclasses
import pathlib
import ssl
import subprocess

CONFIGURATION = """
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[server]
basicConstraints = CA:FALSE
subjectAltName = DNS:localhost, DNS:backend.test, IP:127.0.0.1, IP:::1
extendedKeyUsage = serverAuth
[client]
basicConstraints = CA:FALSE
subjectAltName = DNS:svc-mtls.test
extendedKeyUsage = clientAuth
"""


@dataclasses.dataclass(frozen=True)
class Pair:
    """The paths of a certificate and its key."""
    certificate: pathlib.Path
    key: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Certificates:
    """An authority, and what it signed: a certificate for each server and one for the client."""
    authority: Pair
    server: Pair
    client: Pair

    def trust(self):
        """A TLS context that trusts the authority alone."""
        return ssl.create_default_context(cafile=self.authority.certificate)


def make_certificates(folder):
    """Writes the certificates to a new folder."""
    folder.mkdir()
    configuration = folder / "openssl.cnf"
    configuration.write_text(CONFIGURATION)

    def make(name, subject, *signer):
        pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
        openssl("req", "-x509", "-config", configuration, "-extensions", name, "-subj", f"/CN={subject}", "-days", "30",
                "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", pair.key, "-out", pair.certificate, *signer)
        return pair

    authority = make("authority", "End-to-end test authority")
    signer = ("-CA", authority.certificate, "-CAkey", authority.key)
    return Certificates(authority, make("server", "localhost", *signer), make("client", "svc-mtls", *signer))


def make_rsa_key(folder, name):
    """Writes NAME.key and NAME.pub, an RSA pair without a certificate."""
    private, public = folder / f"{name}.key", folder / f"{name}.pub"
    openssl("genrsa", "-out", private, "2048")
    openssl("rsa", "-in", private, "-pubout", "-out", public)
    return private, public


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
