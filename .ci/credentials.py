"""The credentials that a real token server of the test bed knows, as Attaché's configuration takes them.

Environment: IDP_JSON (a file: the token server's URLs and clients) and PKI (a folder with ca.pem, client.pem and client.key).
"""
import atexit, json, os, pathlib, shutil, socket, ssl, tempfile, urllib.parse, urllib.request

idp = json.loads(pathlib.Path(os.environ["IDP_JSON"]).read_text())
pki = pathlib.Path(os.environ["PKI"])
folder = pathlib.Path(tempfile.mkdtemp(prefix="attache."))
atexit.register(shutil.rmtree, folder, ignore_errors=True)
clients = idp["clients"]
tls = {"caFile": str(pki / "ca.pem")} if idp["token_endpoint"].startswith("https:") else None
pair = {"clientCertificate": str(pki / "client.pem"), "clientKey": str(pki / "client.key")}


def file(name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(0o600)
    return {"file": str(path)}


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    return ports


def client(name, authentication, endpoint=None, **more):
    settings = {
        "type": "clientCredentials", "clientId": name, "clientAuthentication": authentication, "scope": "read",
        "resource": idp["audience"], **(endpoint or {"tokenUrl": idp["token_endpoint"]}), **more}
    if tls:
        settings["tls"] = {**tls, **settings.get("tls", {})}
    return settings


def secret(name):
    return {"clientSecret": file(f"{name}.secret", clients[name]["secret"])}


def refresh_token():
    form = {"grant_type": "password", "username": idp["user"], "password": idp["password"], "client_id": "svc-public",
            "scope": "read"}
    context = ssl.create_default_context(cafile=pki / "ca.pem") if tls else None
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
    with opener.open(idp["token_endpoint"], urllib.parse.urlencode(form).encode(), timeout=10) as answer:
        return json.load(answer)["refresh_token"]


def known():
    """Every client authentication and grant that the server knows, by a name for each."""
    key = {"privateKey": {"file": clients["svc-key"]["key_file"]}, "keyId": clients["svc-key"].get("kid", "1")}
    credentials = {
        "basic": client("svc-basic", "basic", **secret("svc-basic")),
        "basic-raw": client("svc-basic", "basicRaw", **secret("svc-basic")),
        "post": client("svc-post", "post", **secret("svc-post")),
        "post-odd": client("svc-odd", "post", **secret("svc-odd")),
        # What RFC 6749 says of odd characters, and what is not in it.
        "odd": client("svc-odd", "basicRaw" if "/api/" in idp["issuer"] else "basic", **secret("svc-odd")),
        "client-secret-jwt": client("svc-jwt", "clientSecretJwt", **secret("svc-jwt")),
        "private-key-jwt": client("svc-key", "privateKeyJwt", clientAssertion=key),
        "discovery": client("svc-key", "privateKeyJwt", {"issuer": idp["issuer"]}, clientAssertion=key),
    }
    if "svc-mtls" in clients:
        credentials["mutual-tls"] = client("svc-mtls", "mutualTls", tls=pair)
    if "svc-dpop" in clients:
        credentials["dpop"] = client("svc-dpop", "basic", dpop=True, **secret("svc-dpop"))
        credentials["unbound"] = client("svc-basic", "basic", **secret("svc-basic"))
    if "apikey" in idp:
        url = idp["token_endpoint"].removesuffix("/token") + "/identity/token"
        credentials["ibm-iam"] = {"type": "ibmIam", "tokenUrl": url, "apikey": file("apikey", idp["apikey"])}
    if "password" in idp:
        credentials["refresh-token"] = {
            "type": "refreshToken", "tokenUrl": idp["token_endpoint"], "clientId": "svc-public",
            "clientAuthentication": "none", "refreshToken": file("refresh-token", refresh_token())}
    for settings in credentials.values():
        if tls:
            settings.setdefault("tls", tls)
    return credentials
