# Brain Agent in a container: docker compose up -d, see docs/install.md.
#
# The root file system is only read while it runs. Everything that is kept lies in the volume, everything else in /tmp.

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
# What `brain-agent --version` says, as git is not at hand here: --build-arg SOURCE_COMMIT="$(git rev-parse --short=10 HEAD)"
ARG SOURCE_COMMIT=
# What was fetched and built is kept for the next image; the binary has to leave that folder.
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --bin brain-agent && install -D target/dist/brain-agent /out/brain-agent

FROM debian:bookworm-slim
RUN groupadd --gid 10001 brain-agent \
    && useradd --uid 10001 --gid brain-agent --no-log-init --home-dir /var/lib/brain-agent --shell /usr/sbin/nologin brain-agent \
    && install -d -m 0700 -o brain-agent -g brain-agent /var/lib/brain-agent
COPY --from=build /out/brain-agent /usr/local/bin/brain-agent
COPY LICENSE LICENSE-APACHE LICENSE-MIT .env.example /usr/share/doc/brain-agent/
ENV BRAIN_DATA_DIR=/var/lib/brain-agent
USER brain-agent
WORKDIR /var/lib/brain-agent
VOLUME /var/lib/brain-agent
# Whether it runs and answers, and its store can be read. A provider that is down is no reason to stop it.
HEALTHCHECK --interval=1m --timeout=15s --start-period=30s --retries=3 CMD ["brain-agent", "doctor", "--running"]
ENTRYPOINT ["brain-agent"]
CMD ["serve"]
