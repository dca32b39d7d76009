import sys
import urllib.request

for url in sys.argv[1:]:
    with urllib.request.urlopen(url, b"hello=1" if url.endswith("/post") else None, timeout=10) as response:
        assert response.status == 200
