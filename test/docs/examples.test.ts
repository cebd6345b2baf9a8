import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { createDemo } from '../../ingest/demo.ts';
import { type BuiltProgram, buildProgram } from '../support/built-program.ts';
import { createTestDatabase } from '../support/database.ts';
import { createReader, type Reader } from './reader.ts';

const run = promisify(execFile);

const examples = join(projectRoot(), 'examples');
const client = join(examples, 'typed-client');
const compiler = join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');

let program: BuiltProgram;
let reader: Reader;
let folder: string;
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-examples-'));
  const [database, built] = await Promise.all([createTestDatabase(), buildProgram()]);
  program = built;
  await createDemo({ databaseUrl: database.url, now: () => now });
  reader = await createReader(program, database);
}, 120_000);

afterAll(async () => {
  await reader?.leave();
  await program?.remove();
  await rm(folder, { recursive: true, force: true });
});

describe('the typed client', () => {
  it('has the types of the schema as it is; if not, `npm run docs` writes them anew', async () => {
    const written = join(folder, 'graphql-env.d.ts');
    await run(process.execPath, [join(client, 'write-types.mjs'), written]);
    const kept = await readFile(join(client, 'src', 'graphql-env.d.ts'), 'utf8');
    expect(kept).toBe(await readFile(written, 'utf8'));
  });

  it('fits its types, and would not with a field that there is not', async () => {
    // Where its packages are found from, and git does not look.
    const copy = await mkdtemp(join(projectRoot(), 'dist', 'typed-client-'));
    try {
      await run('cp', ['-r', join(client, 'src'), join(client, 'tsconfig.json'), copy]);
      await run(process.execPath, [compiler, '-p', copy, '--noEmit']);
      await run('sed', ['-i', 's/rank label/rank lable/', join(copy, 'src', 'top-hosts.ts')]);
      await expect(run(process.execPath, [compiler, '-p', copy, '--noEmit'])).rejects.toThrow();
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it('prints the largest hosts of a real server', async () => {
    const outDir = await mkdtemp(join(projectRoot(), 'dist', 'typed-client-'));
    try {
      await run(process.execPath, [compiler, '-p', client, '--outDir', outDir]);
      const { stdout } = await run(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `await import(${JSON.stringify(`${outDir}/top-hosts.js`)})`,
        ],
        { env: { ...process.env, COUNTERGRAPH_URL: reader.url } },
      );
      const { data } = await reader.ask(`{ context(name: "demo") {
        counterGroup(guid: "{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}") {
          topper(window: { recentSeconds: 3600 }, maxItems: 5) {
            others total keys { label metric } } } } }`);
      const { context } = data as {
        context: {
          counterGroup: {
            topper: { others: number; total: number; keys: { label: string; metric: number }[] };
          };
        };
      };
      const { topper } = context.counterGroup;
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'));
      const bytes = (value: number) => `${value.toLocaleString('en-US')} bytes`;
      expect(lines.map((cells) => [cells[1], cells[3]])).toEqual([
        ...topper.keys.map(({ label, metric }) => [label, bytes(metric)]),
        ['others', bytes(topper.others)],
        ['total', bytes(topper.total)],
      ]);
    } finally {
      await rm(outDir, { recursive: true });
    }
  });
});

type Target = {
  readonly root_selector: string;
  readonly columns: readonly { readonly selector: string; readonly type: string }[];
  readonly url: string;
  readonly url_options: { readonly body_graphql_query: string };
};

type Dashboard = {
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
  readonly templating: {
    readonly list: readonly {
      readonly name: string;
      readonly current: { readonly value: string };
      readonly options: readonly { readonly value: string }[];
    }[];
  };
};

describe('the Grafana dashboard', async () => {
  const text = await readFile(join(examples, 'grafana', 'dashboard.json'), 'utf8');
  const dashboard = JSON.parse(text) as Dashboard;
  const variables = dashboard.templating.list;

  /** As Grafana fills in what stands in `${…}`. */
  const filledIn = (query: string, values: Readonly<Record<string, string>>): string =>
    query.replaceAll(/\$\{([^}]+)\}/g, (shape, name: string) => values[name] ?? shape);

  const usual = {
    ...Object.fromEntries(variables.map(({ name, current }) => [name, current.value])),
    ...{ '__from:date:seconds': String(now - 6 * 3600), '__to:date:seconds': String(now) },
  };

  const choices = variables.flatMap(({ name, options }) =>
    options.map(({ value }) => [`${name} = ${value}`, { ...usual, [name]: value }] as const),
  );

  it.each(choices)('has a table for each panel, with %s', async (_, values) => {
    expect(dashboard.panels).toHaveLength(2);
    for (const { title, targets } of dashboard.panels) {
      for (const { root_selector, columns, url_options, url } of targets) {
        expect(url).toBe('http://127.0.0.1:4000/graphql');
        const answer = await reader.ask(filledIn(url_options.body_graphql_query, values));
        expect([title, answer.errors]).toEqual([title, undefined]);
        const rows = root_selector
          .split('.')
          .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], answer);
        expect(Array.isArray(rows) && rows.length).toBeGreaterThan(0);
        for (const row of rows as Record<string, unknown>[]) {
          for (const { selector, type } of columns) {
            // The others have no key.
            if (selector === 'key' && row[selector] === null) continue;
            const wanted = type === 'string' ? 'string' : 'number';
            expect([title, selector, typeof row[selector]]).toEqual([title, selector, wanted]);
          }
        }
      }
    }
  });

  it('asks the data source that is set up beside it', async () => {
    const source = await readFile(join(examples, 'grafana', 'datasource.yaml'), 'utf8');
    const [, uid = ''] = /^ {4}uid: (.+)$/m.exec(source) ?? [];
    const [, type = ''] = /^ {4}type: (.+)$/m.exec(source) ?? [];
    const asked = [...text.matchAll(/"datasource": \{\s*"type": "(.*?)",\s*"uid": "(.*?)"/g)];
    expect(asked.length).toBeGreaterThan(3);
    for (const match of asked) expect(match.slice(1)).toEqual([type, uid]);
    // It names no setting that is none of ours.
    expect(source.match(/COUNTERGRAPH_\w+/g)).toEqual(['COUNTERGRAPH_TOKEN']);
  });
});
