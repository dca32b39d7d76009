"""The bill of materials (SPDX 2.3): what the executable is linked from, with versions and licences."""

import hashlib
import json
import pathlib
import subprocess
import time

# Debian's packages of the C libraries that a static executable contains.
DEBIAN = {"libyaml": ("libyaml-dev", "MIT"), "glibc": ("libc6-dev", "LGPL-2.1-or-later")}
# What `attache version` names.
NAMED = {"libevent": "BSD-3-Clause", "openssl": "Apache-2.0", "c_ares": "MIT", "swift": "Apache-2.0 WITH Swift-exception"}


def sbom(number, contents, executable, root, seconds):
    """The JSON text.

    `contents` is what `attache version` prints, by name.
    """
    packages = [entry("attache", number, "Apache-2.0", checksum=hashlib.sha256(pathlib.Path(executable).read_bytes()))]
    for name, licence in NAMED.items():
        packages.append(entry(name, contents[name], licence))
    for name, (package, licence) in DEBIAN.items():
        found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        packages.append(entry(name, found.stdout or "NOASSERTION", licence))
    for name, version, location in swift_packages(root):
        packages.append(entry(name, version, "Apache-2.0", location))
    first = packages[0]["SPDXID"]
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"attache-{number}",
        "documentNamespace": f"urn:attache:sbom:{number}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)), "creators": ["Tool: config/package"]},
        "packages": packages,
        "relationships": [relationship("SPDXRef-DOCUMENT", "DESCRIBES", first)] + [
            relationship(first, "STATIC_LINK", package["SPDXID"]) for package in packages[1:]],
    }
    return json.dumps(document, indent=2) + "\n"


def swift_packages(root):
    """Name, version and address of each Swift package of the build."""
    for folder in (".build/static", ".build"):
        state = root / folder / "workspace-state.json"
        if state.exists():
            for found in sorted(json.loads(state.read_text())["object"]["dependencies"], key=lambda d: d["packageRef"]["identity"]):
                reference = found["packageRef"]
                version = found["state"].get("checkoutState", {}).get("version", "NOASSERTION")
                yield reference["identity"], version, reference["location"]
            return


def entry(name, version, licence, location="NOASSERTION", checksum=None):
    made = {
        "SPDXID": f"SPDXRef-{name.replace('_', '-')}", "name": name, "versionInfo": version,
        "downloadLocation": f"git+{location}" if location.startswith("http") else location,
        "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False,
    }
    if checksum:
        made["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum.hexdigest()}]
    return made


def relationship(element, kind, related):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}
