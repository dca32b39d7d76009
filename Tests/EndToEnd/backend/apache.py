"""Apache httpd as a protected backend. It checks the tokens of one token server in several ways."""

import contextlib
import dataclasses
import pathlib
import shutil
import string
import urllib.parse

from backend.arrivals import Arrivals
from processes import free_ports, listens, running
from token_servers.registration import AUDIENCE, SECRETS

MODULES = ("mpm_event authn_core authz_core authz_user alias dir mime env setenvif headers unique_id cgid actions "
           "dav dav_fs ssl http2 proxy proxy_http socache_shmcb auth_openidc oauth2")
# Places that take any good bearer token.
BEARER_PLACES = ("jwt", "audience", "introspect", "oidc", "write")


@dataclasses.dataclass(frozen=True)
class Backend:
    """A running backend. Both ports serve the same places."""
    port: int
    tls_port: int
    # Where Apache passes WebSockets on to, if anybody listens there.
    socket_port: int
    arrivals: Arrivals


def protected_places(server):
    """What lies below each place is served only with a token that passes its check."""
    # https keys need no check of the certificate here; without expiry=0 a module takes a cached token past its end.
    verify = (f"OAuth2TokenVerify jwks_uri {server.keys_url} verify.exp=required&expiry=0&verify.cache=jwt"
              "&jwks_uri.ssl_verify=false")
    secret = urllib.parse.quote(SECRETS["svc-basic"], safe="")
    introspect = (f"OAuth2TokenVerify introspect {server.introspection_url} introspect.auth=client_secret_basic"
                  f"&client_id=svc-basic&client_secret={secret}&introspect.ssl_verify=false&introspect.expiry=0"
                  "&expiry=0&verify.cache=active&introspect.cache=active")
    user = "OAuth2TargetPass headers=off\n  Require valid-user"
    client = "OAuth2TargetPass remote_user_claim=client_id&headers=off\n  Require valid-user"
    return {
        # A JWT, checked with the token server's public keys (mod_oauth2).
        "jwt": ("oauth2", f"{verify}\n  {user}"),
        # The same for one audience.
        "audience": ("oauth2", f"{verify}\n  OAuth2TargetPass headers=off\n  Require oauth2_claim aud:{AUDIENCE}"),
        # A token that the token server calls active.
        "introspect": ("oauth2", f"{introspect}\n  {client}"),
        # A JWT, checked by another module (mod_auth_openidc).
        "oidc": ("oauth20", "Require valid-user"),
        # The same with a scope.
        "write": ("oauth20", "Require claim scope~write"),
        # A token bound to the client's certificate (RFC 8705).
        "mtls": ("oauth2", f"{verify}&type=mtls\n  {user}"),
        # A token bound to a key, with a proof (RFC 9449).
        "dpop": ("oauth2", f"{verify}&type=dpop\n  OAuth2AcceptTokenIn header name=Authorization&type=DPoP\n  {user}"),
    }, f"AuthType oauth2\n  {verify}\n  {user}"


def places(folder, server, socket_port):
    """The part of the configuration that says what lies where."""
    protected, dav = protected_places(server)
    text = []
    for name, (kind, check) in {"open": (None, "Require all granted"), **protected}.items():
        kind = f"AuthType {kind}\n  " if kind else ""
        text.append(f"""
Alias /{name}/echo {folder}/cgi/echo
Alias /{name}/slow {folder}/cgi/echo/slow
Alias /{name}/ {folder}/htdocs/
<Location /{name}/>
  {kind}{check}
</Location>
<Location /{name}/socket>
  ProxyPass http://127.0.0.1:{socket_port}/ upgrade=websocket
</Location>""")
    text.append(f"\nAlias /dav {folder}/dav\n<Location /dav>\n  {dav}\n  Dav On\n</Location>")
    return "\n".join(text)


@contextlib.contextmanager
def apache(folder, server, certificates):
    """Runs Apache on two free ports, one with TLS, with everything that it writes in a new folder."""
    port, tls_port, socket_port = free_ports(3)
    for name in ("htdocs", "logs", "dav", "cgi"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    for name in ("logs", "dav"):
        shutil.chown(folder / name, "www-data", "www-data")
    (folder / "htdocs/doc.json").write_text('{"ok": true}\n')
    here = pathlib.Path(__file__).parent
    shutil.copy(here / "echo", folder / "cgi/echo")
    (folder / "cgi/echo").chmod(0o755)
    modules = [f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES.split()]
    configuration = folder / "httpd.conf"
    configuration.write_text(string.Template((here / "httpd.conf").read_text()).substitute(
        folder=folder, port=port, tls_port=tls_port, places=places(folder, server, socket_port),
        modules="\n".join(modules), key_id=server.keys()[0]["kid"], signing_key=server.signing_key, certificate=certificates.server.certificate,
        key=certificates.server.key, authority=certificates.authority.certificate))
    command = ["apache2", "-f", configuration, "-DFOREGROUND"]
    with running(command, folder / "logs/output.log", lambda: listens(port) and listens(tls_port)):
        yield Backend(port, tls_port, socket_port, Arrivals(folder / "logs/arrivals.log"))
