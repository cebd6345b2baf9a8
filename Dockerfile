# Three stages: the built program, the packages that it needs to run, and both together without
# compilers and development packages. docs/how-to/deploy.md describes how to run the image.
ARG NODE_IMAGE=node:22-bookworm-slim

FROM $NODE_IMAGE AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY access access
COPY build build
COPY cli cli
COPY db db
COPY docs docs
COPY domain domain
COPY engine engine
COPY export export
COPY ingest ingest
COPY postgres postgres
COPY mcp mcp
COPY parity parity
COPY resolvers resolvers
COPY rest rest
COPY schema schema
COPY segments segments
COPY server server
COPY store store
COPY web web
RUN npm run -s build

FROM $NODE_IMAGE AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# `--omit=dev`, or empty to include OpenTelemetry, which is one of the development packages.
ARG OMIT=--omit=dev
RUN npm ci $OMIT --no-audit --no-fund

FROM $NODE_IMAGE
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 COUNTERGRAPH_DATA_DIR=/data/countergraph
# Only used without DATABASE_URL. A volume that is created from this folder inherits its owner.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data
COPY package.json LICENSE .env.example ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/bundle dist/bundle
COPY --from=build /app/dist/web dist/web
COPY migrations migrations
COPY schema/schema.graphql schema/schema.graphql
COPY rest/openapi.json rest/openapi.json
COPY web/explorer web/explorer
COPY bin bin
VOLUME /data
# The user `node` as a number, which shows without a look into the image that it is not root.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/countergraph.mjs"]
CMD ["serve"]
