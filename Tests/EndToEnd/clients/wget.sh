#!/bin/sh
set -eu
for url; do
    case $url in */post) set -- --post-data=hello=1 ;; *) set -- ;; esac
    wget -q -T 10 -t 1 -O /dev/null "$@" "$url"
done
