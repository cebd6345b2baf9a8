import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import {
  readSettings,
  SETTING_NAMES,
  type Settings,
  SettingsError,
} from '../../../server/settings/settings.ts';

const DEFAULTS: Settings = {
  databaseUrl: null,
  dataDir: '.countergraph',
  host: '127.0.0.1',
  port: 4000,
  timeZone: 'UTC',
  demo: 'auto',
  queryTimeoutSeconds: 60,
  maxTopperItems: 10_000,
  maxPercentileRanks: 101,
  corsOrigins: [],
  trustProxy: [],
  workers: Math.min(64, Math.max(1, availableParallelism() - 1)),
  workerQueue: 256,
  blockCacheBytes: 256 * 1024 * 1024,
  answerCacheBytes: 32 * 1024 * 1024,
  responseCacheBytes: 32 * 1024 * 1024,
  compileAfter: 4,
  trustedOnly: false,
  maxConcurrent: 1024,
  maxWaitMs: 2_000,
  loginFailures: 20,
  loginFailuresPerAddress: 300,
  loginFailureSeconds: 60,
  maxConnections: 2_048,
  maxConnectionsPerAddress: 1024,
  maxStreams: 5000,
  maxStreamsPerUser: 500,
  headersSeconds: 10,
  slowCallerSeconds: 30,
  keepAliveSeconds: 65,
  shutdownSeconds: 10,
  restBodyBytes: 65_536,
  graphqlBodyBytes: 262_144,
  graphql: {
    tokens: 5_000,
    depth: 12,
    aliases: 100,
    rootFields: 100,
    directives: 50,
    cost: 1_000_000,
    nodeIds: 1_000,
  },
  answerValues: 4_000_000,
  answerValuesSignedOut: 50_000,
  unreadBytes: 64 * 1024 * 1024,
  unreadBytesPerAddress: 16 * 1024 * 1024,
  stuckReaderMs: 10_000,
  introspection: 'on',
  explorer: 'on',
  dashboard: 'on',
  slowMs: 1000,
  auditDays: 400,
  sessionHours: 12,
  uploadBytes: 1024 * 1024 * 1024,
  publicUrl: null,
  oidc: null,
  proxySignIn: null,
  logLevel: 'info',
  processes: 1,
  collect: [],
};

const graphql = (limits: Partial<Settings['graphql']>): Partial<Settings> => ({
  graphql: { ...DEFAULTS.graphql, ...limits },
});

const linesOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) {
      return error.lines;
    }
    throw error;
  }
};

describe('settings', () => {
  test('have defaults, even if variables are empty', () => {
    expect(readSettings({})).toEqual(DEFAULTS);
    const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']));
    expect(readSettings(empty)).toEqual(DEFAULTS);
  });

  const accepted: readonly (readonly [string, string, Partial<Settings>])[] = [
    ['DATABASE_URL', 'postgres://a:b@c:5432/d', { databaseUrl: 'postgres://a:b@c:5432/d' }],
    ['DATABASE_URL', 'postgresql:///d', { databaseUrl: 'postgresql:///d' }],
    ['COUNTERGRAPH_DATA_DIR', '/var/lib/x y', { dataDir: '/var/lib/x y' }],
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'noc.example.com', { host: 'noc.example.com' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['COUNTERGRAPH_TIME_ZONE', 'Europe/Berlin', { timeZone: 'Europe/Berlin' }],
    ['COUNTERGRAPH_DEMO', 'on', { demo: 'on' }],
    ['COUNTERGRAPH_DEMO', 'off', { demo: 'off' }],
    ['COUNTERGRAPH_DEMO', 'auto', { demo: 'auto' }],
    ['COUNTERGRAPH_QUERY_TIMEOUT_SECONDS', '1', { queryTimeoutSeconds: 1 }],
    ['COUNTERGRAPH_QUERY_TIMEOUT_SECONDS', '2147483', { queryTimeoutSeconds: 2_147_483 }],
    ['COUNTERGRAPH_MAX_TOPPER_ITEMS', '1', { maxTopperItems: 1 }],
    ['COUNTERGRAPH_MAX_TOPPER_ITEMS', '1000000', { maxTopperItems: 1_000_000 }],
    [
      'COUNTERGRAPH_CORS_ORIGINS',
      'https://a.example, HTTP://B.example:8080/,https://c.example:443',
      { corsOrigins: ['https://a.example', 'http://b.example:8080', 'https://c.example'] },
    ],
    [
      'COUNTERGRAPH_TRUST_PROXY',
      '10.0.0.0/8, 192.168.1.1,fc00::/7,::1,0.0.0.0/0,1.2.3.4/32,::1/128',
      {
        trustProxy: [
          '10.0.0.0/8',
          '192.168.1.1',
          'fc00::/7',
          '::1',
          '0.0.0.0/0',
          '1.2.3.4/32',
          '::1/128',
        ],
      },
    ],
    ['COUNTERGRAPH_WORKERS', '1', { workers: 1 }],
    ['COUNTERGRAPH_WORKERS', '64', { workers: 64 }],
    ['COUNTERGRAPH_BLOCK_CACHE_MB', '0', { blockCacheBytes: 0 }],
    ['COUNTERGRAPH_BLOCK_CACHE_MB', '1', { blockCacheBytes: 1_048_576 }],
    ['COUNTERGRAPH_BLOCK_CACHE_MB', '1048576', { blockCacheBytes: 2 ** 40 }],
    ['COUNTERGRAPH_ANSWER_CACHE_MB', '0', { answerCacheBytes: 0 }],
    ['COUNTERGRAPH_RESPONSE_CACHE_MB', '0', { responseCacheBytes: 0 }],
    ['COUNTERGRAPH_TRUSTED_ONLY', 'on', { trustedOnly: true }],
    ['COUNTERGRAPH_MAX_CONCURRENT', '1', { maxConcurrent: 1 }],
    ['COUNTERGRAPH_MAX_CONNECTIONS', '1', { maxConnections: 1, maxConnectionsPerAddress: 1 }],
    ['COUNTERGRAPH_KEEP_ALIVE_SECONDS', '3600', { keepAliveSeconds: 3_600 }],
    ['COUNTERGRAPH_SHUTDOWN_SECONDS', '1', { shutdownSeconds: 1 }],
    ['COUNTERGRAPH_GRAPHQL_MAX_COST', '1', graphql({ cost: 1 })],
    ['COUNTERGRAPH_GRAPHQL_MAX_COST', '1000000000', graphql({ cost: 1_000_000_000 })],
    ['COUNTERGRAPH_INTROSPECTION', 'on', { introspection: 'on' }],
    ['COUNTERGRAPH_INTROSPECTION', 'signed-in', { introspection: 'signed-in' }],
    ['COUNTERGRAPH_INTROSPECTION', 'off', { introspection: 'off' }],
    ['COUNTERGRAPH_EXPLORER', 'on', { explorer: 'on' }],
    ['COUNTERGRAPH_EXPLORER', 'signed-in', { explorer: 'signed-in' }],
    ['COUNTERGRAPH_EXPLORER', 'off', { explorer: 'off' }],
    ['COUNTERGRAPH_DASHBOARD', 'on', { dashboard: 'on' }],
    ['COUNTERGRAPH_DASHBOARD', 'off', { dashboard: 'off' }],
    ['COUNTERGRAPH_SLOW_MS', '0', { slowMs: 0 }],
    ['COUNTERGRAPH_SLOW_MS', '2147483000', { slowMs: 2_147_483_000 }],
    ['COUNTERGRAPH_AUDIT_DAYS', '1', { auditDays: 1 }],
    ['COUNTERGRAPH_AUDIT_DAYS', '36500', { auditDays: 36_500 }],
    ['COUNTERGRAPH_SESSION_HOURS', '1', { sessionHours: 1 }],
    ['COUNTERGRAPH_SESSION_HOURS', '8784', { sessionHours: 8784 }],
    ['COUNTERGRAPH_UPLOAD_MB', '0', { uploadBytes: 0 }],
    ['COUNTERGRAPH_UPLOAD_MB', '1', { uploadBytes: 1_048_576 }],
    ['COUNTERGRAPH_UPLOAD_MB', '1048576', { uploadBytes: 2 ** 40 }],
    [
      'COUNTERGRAPH_PUBLIC_URL',
      'HTTPS://Counters.example.com:443/of/office/',
      { publicUrl: 'https://counters.example.com/of/office' },
    ],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ];

  test.each(accepted)('%s accepts %j', (name, value, settings) => {
    expect(readSettings({ [name]: value })).toEqual({ ...DEFAULTS, ...settings });
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['COUNTERGRAPH_DATA_DIR', 'a\0b', 'a path, got "a\\u0000b"'],
    ['HOST', 'http://x', 'an IP address or a host name, got "http://x"'],
    ['HOST', '1.2.3.4:80', 'an IP address or a host name, got "1.2.3.4:80"'],
    ['PORT', '65536', 'an integer from 0 to 65535, got "65536"'],
    ['PORT', '-1', 'an integer from 0 to 65535, got "-1"'],
    ['PORT', '80.5', 'an integer from 0 to 65535, got "80.5"'],
    ['PORT', '0x50', 'an integer from 0 to 65535, got "0x50"'],
    ['COUNTERGRAPH_TIME_ZONE', 'Mars/Base', 'an IANA time zone name such as'],
    ['COUNTERGRAPH_DEMO', 'true', 'one of on, off, auto, got "true"'],
    ['COUNTERGRAPH_QUERY_TIMEOUT_SECONDS', '0', 'an integer from 1 to 2147483, got "0"'],
    ['COUNTERGRAPH_QUERY_TIMEOUT_SECONDS', '2147484', 'an integer from 1 to 2147483, got'],
    ['COUNTERGRAPH_MAX_TOPPER_ITEMS', '0', 'an integer from 1 to 1000000, got "0"'],
    ['COUNTERGRAPH_MAX_TOPPER_ITEMS', '1000001', 'an integer from 1 to 1000000, got'],
    ['COUNTERGRAPH_UPLOAD_MB', '-1', 'an integer from 0 to 1048576, got "-1"'],
    ['COUNTERGRAPH_UPLOAD_MB', '1048577', 'an integer from 0 to 1048576, got'],
    ['COUNTERGRAPH_CORS_ORIGINS', '*', 'a comma-separated list of origins such as'],
    ['COUNTERGRAPH_CORS_ORIGINS', 'https://a/b', 'a comma-separated list of origins such as'],
    ['COUNTERGRAPH_CORS_ORIGINS', 'https://a,', 'a comma-separated list of origins such as'],
    ['COUNTERGRAPH_CORS_ORIGINS', 'ftp://a', 'a comma-separated list of origins such as'],
    ['COUNTERGRAPH_CORS_ORIGINS', 'https://u:p@a', 'a comma-separated list of origins such as'],
    ['COUNTERGRAPH_TRUST_PROXY', '10.0.0.0/33', 'a comma-separated list of addresses and'],
    ['COUNTERGRAPH_TRUST_PROXY', '::/129', 'a comma-separated list of addresses and networks'],
    ['COUNTERGRAPH_TRUST_PROXY', 'true', 'a comma-separated list of addresses and networks'],
    ['COUNTERGRAPH_TRUST_PROXY', '1.2.3.4/', 'a comma-separated list of addresses and networks'],
    ['COUNTERGRAPH_TRUST_PROXY', '1.2.3.4/8/8', 'a comma-separated list of addresses and'],
    ['COUNTERGRAPH_WORKERS', '0', 'an integer from 1 to 64, got "0"'],
    ['COUNTERGRAPH_WORKERS', '65', 'an integer from 1 to 64, got "65"'],
    ['COUNTERGRAPH_BLOCK_CACHE_MB', '1048577', 'an integer from 0 to 1048576, got'],
    ['COUNTERGRAPH_BLOCK_CACHE_MB', '256M', 'an integer from 0 to 1048576, got "256M"'],
    ['COUNTERGRAPH_ANSWER_CACHE_MB', '-1', 'an integer from 0 to 1048576, got "-1"'],
    ['COUNTERGRAPH_TRUSTED_ONLY', 'yes', 'one of on, off, got "yes"'],
    ['COUNTERGRAPH_MAX_CONCURRENT', '0', 'an integer from 1 to 100000, got "0"'],
    ['COUNTERGRAPH_MAX_CONNECTIONS', '0', 'an integer from 1 to 1000000, got "0"'],
    ['COUNTERGRAPH_KEEP_ALIVE_SECONDS', '0', 'an integer from 1 to 3600, got "0"'],
    ['COUNTERGRAPH_SHUTDOWN_SECONDS', '0', 'an integer from 1 to 3600, got "0"'],
    ['COUNTERGRAPH_GRAPHQL_MAX_COST', '1e6', 'an integer from 1 to 1000000000, got "1e6"'],
    ['COUNTERGRAPH_INTROSPECTION', 'yes', 'one of on, signed-in, off, got "yes"'],
    ['COUNTERGRAPH_EXPLORER', 'yes', 'one of on, signed-in, off, got "yes"'],
    ['COUNTERGRAPH_DASHBOARD', 'yes', 'one of on, off, got "yes"'],
    ['COUNTERGRAPH_SLOW_MS', '-1', 'an integer from 0 to 2147483000, got "-1"'],
    ['COUNTERGRAPH_SLOW_MS', '2147483001', 'an integer from 0 to 2147483000, got'],
    ['COUNTERGRAPH_AUDIT_DAYS', '0', 'an integer from 1 to 36500, got "0"'],
    ['COUNTERGRAPH_PUBLIC_URL', 'counters.example.com', 'the address of the dashboard'],
    ['COUNTERGRAPH_PUBLIC_URL', 'https://a/?b', 'the address of the dashboard'],
    ['LOG_LEVEL', 'INFO', 'one of fatal, error, warn, info, debug, trace, silent, got "INFO"'],
  ];

  test.each(refused)('%s refuses %j', (name, value, must) => {
    const lines = linesOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${name} must be ${must}`);
    expect(lines[0]).toMatch(/: correct it, or unset it for \S+/);
  });

  test.each(['mysql://a:secret@b/c', 'a:secret@b', 'host=b password=secret'])(
    'do not repeat a wrong database address, which may contain a password (%s)',
    (address) => {
      const lines = linesOf({ DATABASE_URL: address });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^DATABASE_URL must be an address such as postgres:\/\//);
      expect(lines[0]).not.toContain('secret');
    },
  );

  test('report all mistakes together', () => {
    const lines = linesOf({
      PORT: 'x',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'postgres://a/b',
      COUNTERGRAPH_DEMO: 'on',
    });
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'PORT',
      'LOG_LEVEL',
      'COUNTERGRAPH_DEMO',
    ]);
  });

  test('refuse the demo on a database that is not the embedded one', () => {
    const url = 'postgres://a/b';
    expect(linesOf({ DATABASE_URL: url, COUNTERGRAPH_DEMO: 'on' })).toEqual([
      'COUNTERGRAPH_DEMO must be "off" where DATABASE_URL is set, got "on": ' +
        'the demo exists on the embedded PostgreSQL only, unset one of the two',
    ]);
    expect(linesOf({ DATABASE_URL: url, COUNTERGRAPH_DEMO: 'auto' })).toEqual([]);
    expect(linesOf({ DATABASE_URL: '', COUNTERGRAPH_DEMO: 'on' })).toEqual([]);
  });
});

describe('.env.example', () => {
  test('lists exactly the existing variables, each with its default', async () => {
    const example = parseEnv(await readFile(join(projectRoot(), '.env.example'), 'utf8'));
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
    expect(readSettings(example)).toEqual(DEFAULTS);
  });
});

describe('docs/reference/settings.md', () => {
  test('has a row for exactly the existing variables, each with its meaning', async () => {
    const page = await readFile(join(projectRoot(), 'docs/reference/settings.md'), 'utf8');
    const table = /^\| variable \|.*\n(?:\|.*\n)+/m.exec(page)?.[0] ?? '';
    const rows = table.split('\n').slice(2, -1);
    const names = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]+/g) ?? []);
    expect(names).toEqual(SETTING_NAMES);
    for (const row of rows) expect(row).toMatch(/^\| `[A-Z_]+` \| [^|]+ \| [^|]+ \| [^|]{10,} \|$/);
    const readme = await readFile(join(projectRoot(), 'README.md'), 'utf8');
    expect(readme).toContain('(docs/reference/settings.md)');
  });
});
