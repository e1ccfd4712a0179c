# A Portolan worker (or any other `portolan` command). Debian and not Alpine: Temporal's native library needs glibc.
# Pinned by the digest of the multi-platform image. Node 24 is the newest version Temporal's library supports.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# The slim image has no certificates, and Temporal's native library reads the system's.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/package.json /opt/portolan/package.json
COPY --from=build /build/node_modules /opt/portolan/node_modules
COPY --from=build /build/dist /opt/portolan/dist
COPY examples/checks /opt/portolan/examples/checks
RUN ln -s /opt/portolan/dist/cli/main.js /usr/local/bin/portolan \
  && mkdir -p /srv/portolan/var \
  && chown -R node:node /srv/portolan
# Mount portolan.yaml here. ./var is a volume for the store, which must outlive the container.
WORKDIR /srv/portolan
VOLUME /srv/portolan/var
ENV NODE_ENV=production \
    PORTOLAN_CONFIG=/srv/portolan/portolan.yaml \
    # About 80 % of the container's memory; files are streamed and need none of it. Raise both together.
    NODE_OPTIONS=--max-old-space-size=1638
USER node
ENTRYPOINT ["portolan"]
CMD ["worker"]
