# The image holds one static executable and a CA bundle: no shell, no package manager, no user database.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    binutils ca-certificates libc-ares-dev libevent-dev libssl-dev libyaml-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# docker build --build-arg COMMIT=$(git rev-parse HEAD) has `attache version` name the commit.
ARG COMMIT=unknown
RUN ATTACHE_COMMIT=$COMMIT swift build -c release --product attache -Xswiftc -static-executable \
 && strip -o /attache .build/release/attache

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /attache /attache
# A number, as there is no /etc/passwd; Kubernetes needs one for runAsNonRoot anyway.
USER 65532:65532
EXPOSE 3128
# The health check needs the admin listener; the variable tells `run` and `health` the same address.
ENV ATTACHE_ADMIN=127.0.0.1:9901
# The executable asks itself, as the image has no curl.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/attache", "health"]
ENTRYPOINT ["/attache"]
CMD ["run"]
