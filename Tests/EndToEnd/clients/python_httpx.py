import sys

import httpx

with httpx.Client(timeout=10) as client:
    for url in sys.argv[1:]:
        response = client.post(url, content=b"hello=1") if url.endswith("/post") else client.get(url)
        assert response.status_code == 200, response.status_code
