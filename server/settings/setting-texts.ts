import type { SettingName } from './settings.ts';

export type SettingText = {
  readonly meaning: string;
  /** What applies when the setting is unset, where the fallback in the code does not show it. */
  readonly absent?: string;
};

/** What each setting is for, in Markdown: docs/reference/settings.md is generated from it. */
export const SETTING_TEXTS: Readonly<Record<SettingName, SettingText>> = {
  DATABASE_URL: {
    absent: 'the embedded PostgreSQL',
    meaning:
      'the primary node, PostgreSQL 15 or newer; [the address](../how-to/deploy.md#the-address) is one that `psql` takes',
  },
  COUNTERGRAPH_DATA_DIR: { meaning: 'where the embedded server keeps its data' },
  HOST: {
    meaning: 'the address to listen on; `0.0.0.0` and `::` are all addresses of the machine',
  },
  PORT: { meaning: 'the port; `0` takes a free one and prints it' },
  COUNTERGRAPH_TIME_ZONE: { meaning: 'the zone of dates without one, and of midnight' },
  COUNTERGRAPH_DEMO: {
    absent: '`on` for `npm start` with an empty embedded database, else `off`',
    meaning: 'the demo context, user and token',
  },
  COUNTERGRAPH_QUERY_TIMEOUT_SECONDS: {
    meaning: 'how long a topper may take unless the request says otherwise',
  },
  COUNTERGRAPH_MAX_TOPPER_ITEMS: { meaning: 'ceiling of `maxitems`' },
  COUNTERGRAPH_CORS_ORIGINS: { meaning: 'origins that a browser may call from' },
  COUNTERGRAPH_TRUST_PROXY: {
    meaning: 'proxies whose `X-Forwarded-For` and `x-request-id` are trusted',
  },
  COUNTERGRAPH_WORKERS: {
    absent: 'one fewer than there are processors, at least `1`',
    meaning: 'threads that unpack and add up blocks, in addition to the one that answers requests',
  },
  COUNTERGRAPH_BLOCK_CACHE_MB: {
    meaning:
      'memory to cache keys, blocks and series of segments between requests, in megabytes; `0` caches none',
  },
  COUNTERGRAPH_ANSWER_CACHE_MB: {
    meaning:
      "memory to cache computed toppers until their context's data change, in megabytes; `0` caches none",
  },
  COUNTERGRAPH_RESPONSE_CACHE_MB: {
    meaning:
      'memory to cache whole responses, and their compressed copies, until the data of any of their contexts change, in megabytes; `0` caches none',
  },
  COUNTERGRAPH_TRUSTED_ONLY: {
    meaning:
      "`on` refuses all GraphQL documents except those of `serve --documents FILE` and the dashboard's",
  },
  COUNTERGRAPH_MAX_CONCURRENT: {
    meaning:
      'requests in progress at once; more wait briefly, and are then refused with 503. A single caller gets at most three quarters of them, and each of several callers gets less, so that others are served too',
  },
  COUNTERGRAPH_MAX_CONNECTIONS: {
    meaning:
      'open connections; more are closed immediately. One address (one IPv6 /64) that `COUNTERGRAPH_TRUST_PROXY` does not name gets at most half of them',
  },
  COUNTERGRAPH_KEEP_ALIVE_SECONDS: {
    meaning:
      'how long an idle connection is kept; should be longer than a proxy in front keeps its own',
  },
  COUNTERGRAPH_SHUTDOWN_SECONDS: {
    meaning: 'how long a server that is shutting down waits for the requests in progress',
  },
  COUNTERGRAPH_GRAPHQL_MAX_COST: {
    meaning:
      'what an operation may cost; [limits.md](limits.md#what-a-query-costs) says how the cost is computed',
  },
  COUNTERGRAPH_INTROSPECTION: { meaning: 'who may ask for the GraphQL schema' },
  COUNTERGRAPH_EXPLORER: { meaning: 'who may open the explorer at `/graphql`' },
  COUNTERGRAPH_DASHBOARD: { meaning: 'the dashboard at `/`' },
  COUNTERGRAPH_SLOW_MS: {
    meaning:
      'requests that take longer than this, in milliseconds, are logged with how their toppers were computed; `0`: none',
  },
  COUNTERGRAPH_AUDIT_DAYS: {
    meaning: 'how many days the [audit](../how-to/audit.md) of changes and failed sign-ins is kept',
  },
  COUNTERGRAPH_SESSION_HOURS: {
    meaning:
      'how many hours somebody who signs in to a page stays signed in; whoever asks to stay is for 30 days',
  },
  COUNTERGRAPH_PUBLIC_URL: {
    absent: 'whatever host a browser names',
    meaning:
      'the address of the dashboard in a browser; sessions then count for its pages only, and their cookie needs TLS if this is `https`',
  },
  COUNTERGRAPH_OIDC_ISSUER: {
    absent: 'people sign in with tokens only',
    meaning:
      'the address of an OpenID Connect provider at which people [sign in](../how-to/sign-in.md#an-identity-provider), as the provider writes it',
  },
  COUNTERGRAPH_OIDC_CLIENT_ID: { absent: 'none', meaning: 'what the provider calls this server' },
  COUNTERGRAPH_OIDC_CLIENT_SECRET: {
    absent: 'none, for a public client',
    meaning: "the client's secret; it is better kept in a file",
  },
  COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE: {
    absent: 'none',
    meaning: "a file with the client's secret, read at each sign-in",
  },
  COUNTERGRAPH_OIDC_USER_CLAIM: {
    meaning: 'the claim with the name that is shown; a person is known by issuer and `sub`',
  },
  COUNTERGRAPH_OIDC_GROUPS_CLAIM: {
    meaning: 'the claim with the groups, to which `user add --group` grants contexts',
  },
  COUNTERGRAPH_OIDC_NAME: {
    absent: 'the host of the issuer',
    meaning: 'what the button *Sign in with …* calls the provider',
  },
  COUNTERGRAPH_USER_HEADER: {
    absent: 'none',
    meaning:
      'the header in which a proxy of `COUNTERGRAPH_TRUST_PROXY` [names who signed in there](../how-to/sign-in.md#a-proxy-that-signs-people-in)',
  },
  COUNTERGRAPH_GROUPS_HEADER: {
    absent: 'none',
    meaning: 'the header with their groups, separated by commas',
  },
  COUNTERGRAPH_UPLOAD_MB: {
    meaning:
      'size of [an uploaded file](../how-to/import-flows.md#upload-a-file) as it is sent, in megabytes; `0` switches uploads off',
  },
  COUNTERGRAPH_PROCESSES: {
    meaning: 'processes that answer requests at one address; [what they share](#several-processes)',
  },
  COUNTERGRAPH_COLLECT: {
    meaning:
      'contexts that `serve` fills with NetFlow, IPFIX and sFlow: `CONTEXT` or ' +
      '`CONTEXT=[HOST:]PORT`, several with commas between; as `--collect` does',
  },
  LOG_LEVEL: {
    meaning:
      'how much is logged to standard error: readable text on a terminal, otherwise JSON lines',
  },
};
