"""Routes that more than one scenario uses."""


def both_backends(servers, credential):
    """Routes by port for both names of the backend. Apps always write http://; the TLS port is reached over TLS."""
    backend = servers.backend
    ca = {"tls": {"caFile": str(servers.certificates.authority.certificate)}}
    return [
        {"name": f"{scheme}-{host}", "match": {"host": host, "port": port}, "upstream": f"{scheme}://localhost:{port}",
         "credential": credential, **tls}
        for scheme, port, tls in (("http", backend.port, {}), ("https", backend.tls_port, ca))
        for host in ("localhost", "backend.test")]
