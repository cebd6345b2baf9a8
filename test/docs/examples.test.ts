import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { createDemo } from '../../ingest/demo/demo.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { blocksOf } from './pages.ts';
import { createReader, type Reader } from './reader.ts';

const run = promisify(execFile);

const examples = join(projectRoot(), 'examples');
const client = join(examples, 'typed-client');
const compiler = join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');

const writeTypes = (into: string) =>
  run(process.execPath, [
    join(client, 'write-types.mjs'),
    join(projectRoot(), 'schema', 'schema.graphql'),
    into,
  ]);

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
  it('has the current types of the schema; if not, `npm run docs` regenerates them', async () => {
    await run('cp', ['-r', join(client, 'src'), folder]);
    await writeTypes(join(folder, 'src'));
    const kept = await readFile(join(client, 'src', 'operations.ts'), 'utf8');
    expect(kept).toBe(await readFile(join(folder, 'src', 'operations.ts'), 'utf8'));
  });

  it('refuses to generate types of a field that the schema does not have', async () => {
    const wrong = join(folder, 'wrong');
    await run('cp', ['-r', join(client, 'src'), wrong]);
    await run('sed', ['-i', 's/label/lable/', join(wrong, 'top-hosts.graphql')]);
    await expect(writeTypes(wrong)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Did you mean "label"?'),
    });
  });

  it.each([
    ['a field that the query does not ask for', 's/rank, label,/rank, keyNode,/'],
    ['a variable of the wrong type', "s/count: 5/count: '5'/"],
    ['a missing variable', 's/, count: 5//'],
    ['an unchecked null', 's/if (!topper)/if (!url)/'],
  ])('does not compile with %s', async (_, change) => {
    // From dist, the packages of the project resolve, and git ignores it.
    const copy = await mkdtemp(join(projectRoot(), 'dist', 'typed-client-'));
    try {
      await run('cp', ['-r', join(client, 'src'), join(client, 'tsconfig.json'), copy]);
      await run(process.execPath, [compiler, '-p', copy, '--noEmit']);
      await run('sed', ['-i', change, join(copy, 'src', 'top-hosts.ts')]);
      const compiling = run(process.execPath, [compiler, '-p', copy, '--noEmit']);
      await expect(compiling).rejects.toMatchObject({
        stdout: expect.stringMatching(/top-hosts\.ts.* error TS/),
      });
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it('is quoted word for word on its page', async () => {
    const page = await readFile(join(projectRoot(), 'docs/how-to/write-a-typed-client.md'), 'utf8');
    const quoted = blocksOf(page).filter(({ language }) => ['gql', 'ts'].includes(language));
    const query = await readFile(join(client, 'src', 'top-hosts.graphql'), 'utf8');
    const source = await readFile(join(client, 'src', 'top-hosts.ts'), 'utf8');
    expect(quoted.map(({ language }) => language)).toEqual(['gql', 'ts']);
    for (const { text } of quoted) expect(query + source).toContain(text);
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

type Query = {
  readonly root_selector: string;
  readonly columns: readonly Column[];
  readonly url: string;
  readonly url_options: { readonly body_graphql_query: string };
};

type Column = { readonly selector: string; readonly text: string; readonly type: string };

type Variable = {
  readonly name: string;
  readonly type: string;
  readonly current: Choice;
  /** Of a variable that is filled by a query. */
  readonly query: string | { readonly infinityQuery: Query };
  readonly options: readonly Choice[];
};

type Choice = { readonly text: string; readonly value: string };

type Dashboard = {
  readonly panels: readonly {
    readonly title: string;
    readonly interval?: string;
    readonly targets: readonly Query[];
  }[];
  readonly templating: { readonly list: readonly Variable[] };
};

type Filled = Readonly<Record<string, string>>;

/** Cells that do not have the type of their column. */
function oddCells(columns: readonly Column[], rows: readonly Record<string, unknown>[]): unknown[] {
  return rows.flatMap((row) =>
    columns.filter(({ selector, type }) => {
      // The row of the others has no key.
      if (selector === 'key' && row[selector] === null) return false;
      return typeof row[selector] !== (type === 'string' ? 'string' : 'number');
    }),
  );
}

describe('the Grafana dashboard', async () => {
  const text = await readFile(join(examples, 'grafana', 'dashboard.json'), 'utf8');
  const dashboard = JSON.parse(text) as Dashboard;
  const variables = dashboard.templating.list;

  /** Fills in `${…}` as Grafana does; every name must be known. */
  const filledIn = (query: string, values: Filled): string =>
    query.replaceAll(/\$\{([^}]+)\}/g, (shape, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`nobody fills in ${shape}`);
      return value;
    });

  const during = (seconds: number, intervalSeconds: number): Filled => ({
    '__from:date:seconds': String(now - seconds),
    '__to:date:seconds': String(now),
    '__interval_ms:date:seconds': String(intervalSeconds),
  });

  /** The initial values of the dashboard. */
  const begin: Filled = {
    ...Object.fromEntries(variables.map(({ name, current }) => [name, current.value])),
    ...during(6 * 3600, 300),
  };

  /** The rows of a query, as the data source extracts them from the answer. */
  async function rowsOf(query: Query, values: Filled): Promise<Record<string, unknown>[]> {
    // This is relative to the address of the data source.
    expect(query.url).toBe('/graphql');
    const answer = await reader.ask(filledIn(query.url_options.body_graphql_query, values));
    expect([values, answer.errors]).toEqual([values, undefined]);
    const rows = query.root_selector
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], answer);
    if (!Array.isArray(rows)) throw new Error(`${query.root_selector} is not a list`);
    return rows as Record<string, unknown>[];
  }

  /** The choices of a variable, from the columns that Grafana takes as text and as value. */
  async function choicesOf({ query, options }: Variable, values: Filled): Promise<Choice[]> {
    if (typeof query === 'string') return [...options];
    const { infinityQuery } = query;
    const named = (name: string) => {
      const found = infinityQuery.columns.find((column) => column.text === name);
      // Grafana takes only texts; the data source can make them of numbers.
      expect([name, found?.type]).toEqual([name, 'string']);
      return found?.selector ?? '';
    };
    const shown = named('__text');
    const value = named('__value');
    return (await rowsOf(infinityQuery, values)).map((row) => ({
      text: String(row[shown]),
      value: String(row[value]),
    }));
  }

  const variable = (name: string): Variable => {
    const found = variables.find((each) => each.name === name);
    if (!found) throw new Error(`there is no variable ${name}`);
    return found;
  };

  async function expectTables(values: Filled): Promise<void> {
    expect(dashboard.panels).toHaveLength(2);
    for (const { title, targets } of dashboard.panels) {
      for (const target of targets) {
        const rows = await rowsOf(target, values);
        expect([title, values, rows.length > 0]).toEqual([title, values, true]);
        expect([title, oddCells(target.columns, rows)]).toEqual([title, []]);
      }
    }
  }

  it.each(variables.map((each) => [each.name, each] as const))(
    'offers valid choices for %s, and starts with one of them',
    async (_, each) => {
      const choices = await choicesOf(each, begin);
      const { text: shown, value } = each.current;
      expect(choices).toContainEqual(expect.objectContaining({ text: shown, value }));
    },
  );

  it('fills context, group and meter by queries', () => {
    const filled = variables.filter(({ type }) => type === 'query').map(({ name }) => name);
    expect(filled).toEqual(['context', 'group', 'meter']);
  });

  it('has a table for each panel, with every group and every meter', async () => {
    for (const { value: group } of await choicesOf(variable('group'), begin)) {
      for (const { value: meter } of await choicesOf(variable('meter'), { ...begin, group })) {
        await expectTables({ ...begin, group, meter });
      }
    }
  });

  it.each(
    ['draw', 'count'].flatMap((name) =>
      variable(name).options.map(({ value }) => [name, value] as const),
    ),
  )('has a table for each panel, with %s = %s', async (name, value) => {
    await expectTables({ ...begin, [name]: value });
  });

  it.each([
    ['an hour', 3600, 300],
    ['a day', 86_400, 300],
    ['a month', 30 * 86_400, 7200],
    ['a year in short steps', 366 * 86_400, 60],
    ['an odd interval', 3600, 77],
  ])('has a table for each panel over %s', async (_, seconds, interval) => {
    await expectTables({ ...begin, ...during(seconds, interval), count: '25' });
  });

  it('requests no steps shorter than a topper bucket, which would be read from samples', () => {
    const [series] = dashboard.panels;
    expect(series?.interval).toBe('5m');
  });

  it('uses the data source of its folder, which alone has an address', async () => {
    const source = await readFile(join(examples, 'grafana', 'datasource.yaml'), 'utf8');
    const [, uid = ''] = /^ {4}uid: (.+)$/m.exec(source) ?? [];
    const [, type = ''] = /^ {4}type: (.+)$/m.exec(source) ?? [];
    const asked = [...text.matchAll(/"datasource": \{\s*"type": "(.*?)",\s*"uid": "(.*?)"/g)];
    expect(asked.length).toBeGreaterThan(3);
    for (const match of asked) expect(match.slice(1)).toEqual([type, uid]);
    expect(text).not.toMatch(/https?:/);
    expect(source.match(/https?:\/\/\S+/g)).toEqual(['http://127.0.0.1:4000']);
    // It names no unknown settings.
    expect(source.match(/COUNTERGRAPH_\w+/g)).toEqual(['COUNTERGRAPH_TOKEN']);
  });
});
