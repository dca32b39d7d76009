import sys

import requests

with requests.Session() as session:
    for url in sys.argv[1:]:
        method, body = ("POST", b"hello=1") if url.endswith("/post") else ("GET", None)
        response = session.request(method, url, data=body, timeout=10)
        assert response.status_code == 200, response.status_code
