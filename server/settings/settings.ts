import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { MEBIBYTE } from '../../domain/byte-units.ts';
import {
  COLLECT_FORM,
  type CollectTarget,
  parseCollectTarget,
} from '../../domain/collect-target.ts';
import { LIMITS } from '../../domain/limits.ts';
import { addressFault, DATABASE_URL_FORM } from '../../domain/text/database-url.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import {
  INTROSPECTION_MODES,
  type IntrospectionMode,
} from '../../schema/documents/introspection-modes.ts';
import type { GraphQLLimits } from '../../schema/limits/graphql-limits.ts';
import { FIXED_GRAPHQL_LIMITS, FIXED_LIMITS, type FixedLimits } from './fixed-limits.ts';
import {
  canonicalOrigin,
  isNetwork,
  isOrigin,
  listOf,
  oneOf,
  setting,
  wholeNumber,
} from './setting-rules.ts';
import {
  SIGN_IN_VARIABLES,
  type SignInSettings,
  signInMistakes,
  signInSettings,
} from './sign-in-settings.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Everything the environment configures (operations, "Settings"), and the fixed limits,
 * which it does not.
 */
export type Settings = FixedLimits &
  SignInSettings & {
    /** The primary node; null: the embedded PostgreSQL. */
    databaseUrl: string | null;
    dataDir: string;
    host: string;
    port: number;
    timeZone: string;
    /** auto: load the demo at the first start if the command line asks for that. */
    demo: 'on' | 'off' | 'auto';
    queryTimeoutSeconds: number;
    maxTopperItems: number;
    /** Origins in the form a browser sends them, `https://noc.example.com`. */
    corsOrigins: string[];
    /** Addresses and networks whose `X-Forwarded-For` is trusted. */
    trustProxy: string[];
    /** Worker threads that unpack and add up blocks, besides the thread that answers requests. */
    workers: number;
    /** Bytes of decoded segment data kept between requests. */
    blockCacheBytes: number;
    /** Bytes of answers kept between requests. */
    answerCacheBytes: number;
    /** Bytes of rendered answers kept between requests. */
    responseCacheBytes: number;
    /** Whether GraphQL documents that are not among the trusted ones are refused. */
    trustedOnly: boolean;
    /** Requests in progress at once; more are refused with 503. */
    maxConcurrent: number;
    maxConnections: number;
    /** Connections from one address that is not a trusted proxy: half of `maxConnections`. */
    maxConnectionsPerAddress: number;
    /** How long an idle connection is kept. */
    keepAliveSeconds: number;
    /** How long a server that is shutting down waits for the requests in progress. */
    shutdownSeconds: number;
    /** Limits of a GraphQL operation. */
    graphql: GraphQLSettings;
    /** Who may ask for the schema. */
    introspection: IntrospectionMode;
    explorer: 'on' | 'signed-in' | 'off';
    /** The page at `/`. */
    dashboard: 'on' | 'off';
    /** Requests that take longer are logged with their plans; 0: none. */
    slowMs: number;
    logLevel: LogLevel;
    /** How many days rows of the audit are kept. */
    auditDays: number;
    /** How many hours a session of a page lasts. */
    sessionHours: number;
    /** Bytes of an uploaded file; 0: nothing can be uploaded. */
    uploadBytes: number;
    /** Processes that serve at one address. */
    processes: number;
    /** Contexts that are filled by collectors beside the server. */
    collect: readonly CollectTarget[];
  };

export type GraphQLSettings = Omit<GraphQLLimits, 'topperItems' | 'percentileRanks'>;

/** All mistakes in the environment, one line each. */
export class SettingsError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'SettingsError';
    this.lines = lines;
  }
}

/** Leaves one core to the thread that answers requests and to PostgreSQL. */
const DEFAULT_WORKERS = Math.min(LIMITS.workersCeiling, Math.max(1, availableParallelism() - 1));

const VARIABLES = {
  DATABASE_URL: setting({
    fallback: null,
    must: DATABASE_URL_FORM,
    remedy: 'unset it for the embedded PostgreSQL',
    // The address may hold a password, and messages end up in logs.
    explain: (given) => addressFault(given),
    schema: z
      .string()
      .trim()
      .refine((given) => addressFault(given) === null),
  }),
  COUNTERGRAPH_DATA_DIR: setting({
    fallback: '.countergraph',
    must: 'a path',
    schema: z.string().refine((path) => !path.includes('\0')),
  }),
  HOST: setting({
    fallback: '127.0.0.1',
    must: 'an IP address or a host name',
    schema: z
      .string()
      .regex(/^[A-Za-z0-9._-]+$/)
      .or(z.string().refine((host) => isIP(host) !== 0)),
  }),
  PORT: setting({ fallback: 4000, ...wholeNumber(0, 65_535) }),
  // Decision 20.
  COUNTERGRAPH_TIME_ZONE: setting({
    fallback: 'UTC',
    must: 'an IANA time zone name such as Europe/Berlin',
    schema: z.string().refine(isTimeZone),
  }),
  COUNTERGRAPH_DEMO: setting({ fallback: 'auto', ...oneOf(['on', 'off', 'auto']) }),
  // Decision 14.
  COUNTERGRAPH_QUERY_TIMEOUT_SECONDS: setting({
    fallback: 60,
    ...wholeNumber(1, LIMITS.timeoutSeconds),
  }),
  // Decision 29.
  COUNTERGRAPH_MAX_TOPPER_ITEMS: setting({
    fallback: LIMITS.maxItems,
    ...wholeNumber(1, LIMITS.maxItemsCeiling),
  }),
  COUNTERGRAPH_CORS_ORIGINS: setting<string[], string[]>({
    fallback: [],
    must: 'a comma-separated list of origins such as https://noc.example.com',
    schema: listOf(z.string().refine(isOrigin).transform(canonicalOrigin)),
  }),
  COUNTERGRAPH_TRUST_PROXY: setting<string[], string[]>({
    fallback: [],
    must: 'a comma-separated list of addresses and networks such as 10.0.0.0/8,::1',
    schema: listOf(z.string().refine(isNetwork)),
  }),
  COUNTERGRAPH_WORKERS: setting({
    fallback: DEFAULT_WORKERS,
    ...wholeNumber(1, LIMITS.workersCeiling),
  }),
  COUNTERGRAPH_BLOCK_CACHE_MB: setting({
    fallback: LIMITS.blockCacheMegabytes,
    ...wholeNumber(0, LIMITS.blockCacheCeilingMegabytes),
  }),
  COUNTERGRAPH_ANSWER_CACHE_MB: setting({
    fallback: LIMITS.answerCacheMegabytes,
    ...wholeNumber(0, LIMITS.blockCacheCeilingMegabytes),
  }),
  COUNTERGRAPH_RESPONSE_CACHE_MB: setting({
    fallback: LIMITS.responseCacheMegabytes,
    ...wholeNumber(0, LIMITS.blockCacheCeilingMegabytes),
  }),
  COUNTERGRAPH_TRUSTED_ONLY: setting({ fallback: 'off', ...oneOf(['on', 'off']) }),
  COUNTERGRAPH_MAX_CONCURRENT: setting({
    fallback: LIMITS.concurrentRequests,
    ...wholeNumber(1, LIMITS.concurrentRequestsCeiling),
  }),
  COUNTERGRAPH_MAX_CONNECTIONS: setting({
    fallback: LIMITS.connections,
    ...wholeNumber(1, LIMITS.connectionsCeiling),
  }),
  COUNTERGRAPH_KEEP_ALIVE_SECONDS: setting({
    fallback: LIMITS.keepAliveSeconds,
    ...wholeNumber(1, LIMITS.keepAliveSecondsCeiling),
  }),
  COUNTERGRAPH_SHUTDOWN_SECONDS: setting({
    fallback: LIMITS.shutdownSeconds,
    ...wholeNumber(1, LIMITS.shutdownSecondsCeiling),
  }),
  COUNTERGRAPH_GRAPHQL_MAX_COST: setting({
    fallback: LIMITS.graphqlCost,
    ...wholeNumber(1, LIMITS.graphqlCostCeiling),
  }),
  COUNTERGRAPH_INTROSPECTION: setting({ fallback: 'on', ...oneOf(INTROSPECTION_MODES) }),
  COUNTERGRAPH_EXPLORER: setting({ fallback: 'on', ...oneOf(['on', 'signed-in', 'off']) }),
  COUNTERGRAPH_DASHBOARD: setting({ fallback: 'on', ...oneOf(['on', 'off']) }),
  COUNTERGRAPH_SLOW_MS: setting({
    fallback: LIMITS.slowRequestMs,
    ...wholeNumber(0, LIMITS.timeoutSeconds * 1000),
  }),
  LOG_LEVEL: setting({ fallback: 'info', ...oneOf(LOG_LEVELS) }),
  COUNTERGRAPH_AUDIT_DAYS: setting({
    fallback: LIMITS.auditDays,
    ...wholeNumber(1, LIMITS.auditDaysCeiling),
  }),
  COUNTERGRAPH_SESSION_HOURS: setting({
    fallback: LIMITS.sessionHours,
    ...wholeNumber(1, LIMITS.sessionHoursCeiling),
  }),
  ...SIGN_IN_VARIABLES,
  COUNTERGRAPH_UPLOAD_MB: setting({
    fallback: LIMITS.uploadMegabytes,
    ...wholeNumber(0, LIMITS.uploadCeilingMegabytes),
  }),
  COUNTERGRAPH_PROCESSES: setting({ fallback: 1, ...wholeNumber(1, LIMITS.processesCeiling) }),
  COUNTERGRAPH_COLLECT: setting<readonly CollectTarget[], readonly CollectTarget[]>({
    fallback: [],
    must: `${COLLECT_FORM}; several with commas between`,
    schema: z.string().transform((text, context) => {
      const targets = text.split(',').map((part) => parseCollectTarget(part.trim()));
      const valid = targets.filter((target) => target !== null);
      if (valid.length < targets.length) context.addIssue({ code: 'custom', message: text });
      return valid;
    }),
  }),
};

export type SettingName = keyof typeof VARIABLES;

/** The names of all variables that `readSettings` knows. */
export const SETTING_NAMES: readonly string[] = Object.keys(VARIABLES);

/** What values each variable accepts, and its fallback. */
export const SETTING_FORMS = Object.entries(VARIABLES).map(([name, schema]) => {
  const { must, fallback } = schema.meta() ?? {};
  // `Object.entries` widens the keys to `string`; they are exactly those of VARIABLES.
  return { name: name as SettingName, must, fallback };
});

const Environment = z.object(VARIABLES);

/** Reads the settings of an environment; throws a `SettingsError` that names every mistake. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const result = Environment.safeParse(env);
  const mistakes = [
    ...(result.error?.issues ?? []).map(lineOf),
    ...(result.data ? variablesOfLibpq(result.data.DATABASE_URL, env) : []),
    ...contradictions(env),
    ...signInMistakes(env),
  ];
  if (!result.success || mistakes.length > 0) {
    throw new SettingsError(mistakes);
  }
  const read = result.data;
  return {
    ...FIXED_LIMITS,
    databaseUrl: read.DATABASE_URL,
    dataDir: read.COUNTERGRAPH_DATA_DIR,
    host: read.HOST,
    port: read.PORT,
    timeZone: read.COUNTERGRAPH_TIME_ZONE,
    demo: read.COUNTERGRAPH_DEMO,
    queryTimeoutSeconds: read.COUNTERGRAPH_QUERY_TIMEOUT_SECONDS,
    maxTopperItems: read.COUNTERGRAPH_MAX_TOPPER_ITEMS,
    corsOrigins: read.COUNTERGRAPH_CORS_ORIGINS,
    trustProxy: read.COUNTERGRAPH_TRUST_PROXY,
    workers: read.COUNTERGRAPH_WORKERS,
    answerCacheBytes: read.COUNTERGRAPH_ANSWER_CACHE_MB * MEBIBYTE,
    responseCacheBytes: read.COUNTERGRAPH_RESPONSE_CACHE_MB * MEBIBYTE,
    trustedOnly: read.COUNTERGRAPH_TRUSTED_ONLY === 'on',
    blockCacheBytes: read.COUNTERGRAPH_BLOCK_CACHE_MB * MEBIBYTE,
    maxConcurrent: read.COUNTERGRAPH_MAX_CONCURRENT,
    maxConnections: read.COUNTERGRAPH_MAX_CONNECTIONS,
    maxConnectionsPerAddress: Math.ceil(read.COUNTERGRAPH_MAX_CONNECTIONS / 2),
    keepAliveSeconds: read.COUNTERGRAPH_KEEP_ALIVE_SECONDS,
    shutdownSeconds: read.COUNTERGRAPH_SHUTDOWN_SECONDS,
    graphql: { ...FIXED_GRAPHQL_LIMITS, cost: read.COUNTERGRAPH_GRAPHQL_MAX_COST },
    introspection: read.COUNTERGRAPH_INTROSPECTION,
    explorer: read.COUNTERGRAPH_EXPLORER,
    dashboard: read.COUNTERGRAPH_DASHBOARD,
    slowMs: read.COUNTERGRAPH_SLOW_MS,
    logLevel: read.LOG_LEVEL,
    auditDays: read.COUNTERGRAPH_AUDIT_DAYS,
    sessionHours: read.COUNTERGRAPH_SESSION_HOURS,
    ...signInSettings(read),
    uploadBytes: read.COUNTERGRAPH_UPLOAD_MB * MEBIBYTE,
    processes: read.COUNTERGRAPH_PROCESSES,
    collect: read.COUNTERGRAPH_COLLECT,
  };
}

/** Checks libpq's variables, which stand in for what an address leaves out. */
function variablesOfLibpq(databaseUrl: string | null, env: NodeJS.ProcessEnv): string[] {
  const fault = databaseUrl === null ? null : addressFault(databaseUrl, env);
  return fault ? [`DATABASE_URL has ${fault.got}: ${fault.remedy}`] : [];
}

const lineOf = (issue: z.core.$ZodIssue): string => `${String(issue.path[0])} ${issue.message}`;

/**
 * Checks the rules between variables. It reads the environment itself, so that it reports them even
 * along with other mistakes.
 */
function contradictions(env: NodeJS.ProcessEnv): string[] {
  return env['COUNTERGRAPH_DEMO'] === 'on' && env['DATABASE_URL']
    ? [
        'COUNTERGRAPH_DEMO must be "off" where DATABASE_URL is set, got "on": ' +
          'the demo exists on the embedded PostgreSQL only, unset one of the two',
      ]
    : [];
}
