import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { EXAMPLES } from '../../schema/documents/examples.ts';
import { blocksOf } from './pages.ts';

const run = promisify(execFile);

const root = projectRoot();
const COMPILER = join(root, 'node_modules', 'relay-compiler', 'cli.js');
const PAGE = join(root, 'docs', 'how-to', 'cache-in-a-frontend.md');

/** Typical of a Relay application: pages of a connection, and objects refetched by id. */
const FRAGMENTS = `
  fragment app_keys on CounterGroup
  @refetchable(queryName: "appKeysQuery")
  @argumentDefinitions(
    first: { type: "Int" }
    after: { type: "String" }
    search: { type: "String" }
  ) {
    keys(first: $first, after: $after, search: $search) @connection(key: "app_keys") {
      totalCount
      edges { node { key readable label attributes { name value } } }
    }
  }
  fragment app_alerts on Context
  @refetchable(queryName: "appAlertsQuery")
  @argumentDefinitions(first: { type: "Int" } after: { type: "String" }) {
    alerts { name firing { startedAt key { label } } }
    alertEvents(first: $first, after: $after) @connection(key: "app_alertEvents") {
      edges { node { startedAt endedAt alert { name } } }
    }
  }
  fragment app_meter on Meter @refetchable(queryName: "appMeterQuery") { name units }
  fragment app_group on CounterGroup @refetchable(queryName: "appGroupQuery") { name ...app_keys }
  fragment app_listed on Key @relay(plural: true) { label }
  fragment app_topper on Topper {
    availableWindow { from to }
    flatSeries(maxPoints: 100) { at key label value averageRate }
    keys { key metric keyNode { ...app_listed } }
  }
  query appPageQuery($context: String!, $group: Guid!, $meter: Int!) {
    context(name: $context) {
      ...app_alerts
      counterGroup(guid: $group) {
        ...app_group
        meter(index: $meter) { ...app_meter topper(window: { preset: TODAY }) { ...app_topper } }
      }
    }
  }`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-relay-'));
  await mkdir(join(folder, 'src'));
  await cp(join(root, 'schema', 'schema.graphql'), join(folder, 'schema.graphql'));
  const page = blocksOf(await readFile(PAGE, 'utf8'));
  const config = page.find(
    ({ language, heading }) => language === 'json' && heading === '## Relay',
  );
  const written = JSON.parse(config?.text ?? '') as object;
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify({ src: './src', ...written }));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Relay requires that operations are named after their module. */
const asModule = (document: string): string =>
  `import { graphql } from 'react-relay';\ngraphql\`${document}\`;\n`;

const compile = () => run(process.execPath, [COMPILER], { cwd: folder });

describe('the compiler of Relay, as the page sets it up', () => {
  it('accepts the schema, and the examples of the explorer', async () => {
    await writeFile(join(folder, 'src', 'app.ts'), asModule(FRAGMENTS));
    for (const [i, { query }] of EXAMPLES.entries()) {
      const named = query.replace(/^query \w+/m, `query example${i}Query`);
      await writeFile(join(folder, 'src', `example${i}.ts`), asModule(named));
    }
    const { stdout } = await compile();
    expect(stdout).toContain('Compilation completed');
    const types = await readFile(
      join(folder, 'src', '__generated__', 'app_topper.graphql.ts'),
      'utf8',
    );
    expect(types).toMatch(/readonly value: number \| string;/);
  });

  it('would refuse the schema if the length of a page could not be null', async () => {
    const schema = await readFile(join(folder, 'schema.graphql'), 'utf8');
    expect(schema).toContain('first: Int = 50');
    const strict = schema.replaceAll('first: Int = 50', 'first: Int! = 50');
    await writeFile(join(folder, 'schema.graphql'), strict);
    await writeFile(join(folder, 'src', 'app.ts'), asModule(FRAGMENTS));
    await expect(compile()).rejects.toThrow(/Compilation failed/);
  });
});
