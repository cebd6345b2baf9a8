import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { projectRoot } from '../../../db/project-root.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { type Metrics, readMetrics } from '../../support/http/metrics-text.ts';
import { exporter, hearExporters } from '../../support/lab/hear-exporters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'a', ts: T0, values: { 0: 5 } }],
  });
});

afterAll(() => lab.close());

const metrics = async (): Promise<Metrics> => readMetrics((await lab.call('/metrics')).text);

/** Returns the increase of a value while `work` ran. */
async function increase(
  name: string,
  labels: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = (await metrics()).value(name, labels) ?? 0;
  await work();
  return ((await metrics()).value(name, labels) ?? 0) - before;
}

const topper = (more: Readonly<Record<string, boolean | number>> = {}) =>
  lab.topper({ counter_group: GROUP, meter: 0, window_fromts: T0, window_seconds: 3600, ...more });

let shapes = 0;

/** Parameters that change the form of the response, but not the topper, with each call. */
const shape = () => {
  shapes += 1;
  return { get_key_attributes: true, resolve_keys: shapes % 2 === 0 };
};

const differently = () => topper(shape());

/** A topper that is not cached. */
let items = 100;
const anew = () => {
  items += 1;
  return topper({ maxitems: items });
};

/** Sends requests, some of which try a shared standby that is down. */
async function tryStandby(): Promise<void> {
  const r1 = { name: 'r1', role: 'replica', url: 'postgres://127.0.0.1:9/none' };
  await lab.apply({ context: CONTEXT, nodes: [{ ...r1, share: true }] });
  for (let i = 0; i < 2; i += 1) {
    lab.emptyCaches();
    await anew();
  }
  await lab.apply({ context: CONTEXT, nodes: [{ ...r1, share: false }] });
}

/** Adds a feed of another process, with its losses. */
const addFeed = () =>
  lab.sql(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       lost_flows, lost_datagrams, refused_lines, left_out_flows, probe, waiting_flows, read_us)
     select gen_random_uuid(), context_id, 'goflow2', now(), 1, 5, 0, 7, 2, 3, 4, 'west', 6,
       1e6 * (extract(epoch from now()) - 60)
     from contexts where name = '${CONTEXT}'`,
  );

const errors = (kind: string, work: () => Promise<unknown>) =>
  increase('countergraph_errors_total', { kind }, work);

describe('docs/reference/metrics.md', () => {
  it('lists every metric of the project, with its type, labels and meaning', async () => {
    const text = readFileSync(join(projectRoot(), 'docs/reference/metrics.md'), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    // A metric is listed without a value, too, but shows its labels only with one.
    await topper();
    await lab.data('query Named { viewer { username } }');
    await lab.mergeNow();
    await tryStandby();
    await addFeed();
    const troubled = exporter('192.0.2.1', { refused: { late: 1 }, clockAheadSeconds: 1 });
    await hearExporters(lab.databaseUrl, { context: CONTEXT, exporters: [troubled] });
    await lab.mergeNow();
    const { families } = await metrics();
    const ours = families.filter(({ name }) => name.startsWith('countergraph_'));
    expect(ours.length).toBeGreaterThan(10);
    const expected = ours.map(({ name, type, labels, help }) => {
      const shown = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
    });
    expect(rows).toEqual(expected);
  });
});

describe('requests', () => {
  it('are counted by route and status', async () => {
    const name = 'countergraph_http_request_seconds_count';
    const route = lab.path('topper');
    expect(await increase(name, { route, status: '200' }, topper)).toBe(1);
    expect(
      await increase(name, { route, status: '400' }, () => lab.rest('topper', { context: '' })),
    ).toBe(1);
    expect(
      await increase(name, { route: 'none', status: '404' }, () => lab.call('/chosen/by/caller')),
    ).toBe(1);
  });

  it('whose caller goes away are counted as such, and are in progress until then', async () => {
    const gone = new AbortController();
    const labels = { route: lab.path('topper'), status: '499' };
    const counted = async () =>
      (await metrics()).value('countergraph_http_request_seconds_count', labels);
    const inProgress = async () =>
      (await metrics()).value('countergraph_http_requests_in_progress');
    lab.emptyCaches();
    // The request for metrics is in progress itself.
    expect(await inProgress()).toBe(1);
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await connection.query('lock table open_segment_pages in access exclusive mode');
        const asked = { counter_group: GROUP, window_fromts: T0, window_seconds: 3600 };
        const running = lab.rest('topper', asked, { signal: gone.signal });
        while ((await inProgress()) !== 2);
        gone.abort();
        await expect(running).rejects.toThrow();
        while ((await inProgress()) !== 1);
      }),
    );
    expect(await counted()).toBe(1);
  });

  it('are counted by the name of their operation', async () => {
    const name = 'countergraph_graphql_operation_seconds_count';
    const ask = (document: string) => () => lab.data(document);
    expect(
      await increase(name, { operation: 'WhoAmI' }, ask('query WhoAmI { viewer { username } }')),
    ).toBe(1);
    expect(await increase(name, { operation: 'unnamed' }, ask('{ viewer { username } }'))).toBe(1);
  });

  it('of callers who are not signed in do not add the names of operations', async () => {
    const name = 'countergraph_graphql_operation_seconds_count';
    const work = () => lab.graphql('query Stranger { __typename }', {}, {});
    expect(await increase(name, { operation: 'signed_out' }, work)).toBe(1);
    expect((await metrics()).text).not.toContain('Stranger');
  });
});

describe('names that callers choose', () => {
  it('take a limited part of the metrics', async () => {
    const aliases = Array.from({ length: LIMITS.metricNames + 20 }, (_, i) => `Op${i}`);
    for (const name of aliases) await lab.data(`query ${name} { __typename }`);
    const family = (await metrics()).samples.filter(
      ({ name }) => name === 'countergraph_graphql_operation_seconds_count',
    );
    expect(family.length).toBeLessThanOrEqual(LIMITS.metricNames + 1);
    expect(family.map(({ labels }) => labels['operation'])).toContain('other');
  });
});

describe('statements', () => {
  it('are counted by their name', async () => {
    const name = 'countergraph_sql_statement_seconds_count';
    lab.emptyCaches();
    expect(await increase(name, { query: 'select-pages' }, topper)).toBe(1);
    expect(await increase(name, { query: 'select-identity' }, topper)).toBe(1);
    const commits = async () => (await metrics()).value(name, { query: 'commit' }) ?? 0;
    const before = await commits();
    await lab.rest('slices', { get_total_window: true });
    // The answer does not wait for the commit.
    await expect.poll(async () => (await commits()) - before).toBe(1);
  });

  it('all have a name of their own', async () => {
    const folder = join(projectRoot(), 'db/sql');
    const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const sent = texts.flatMap((text) => text.match(/session\.read\w*[<(]|source\.copy\(/g) ?? []);
    const names = texts.flatMap((text) => text.match(/\bquery: '[a-z0-9-]+'/g) ?? []);
    expect(sent.length).toBeGreaterThan(20);
    expect(names).toHaveLength(sent.length);
    expect(new Set(names).size).toBe(names.length);
    expect(
      (await metrics()).value('countergraph_sql_statement_seconds_count', { query: 'other' }),
    ).toBeUndefined();
  });
});

describe('errors', () => {
  it.each([
    ['contextRequired', () => lab.rest('slices', { context: '' })],
    ['invalidToken', () => lab.rest('slices', { api_token: 'wrong' })],
    [
      'invalidToken',
      () => lab.graphql('{ viewer { username } }', {}, { authorization: 'Bearer x' }),
    ],
    ['noSuchPath', () => lab.call('/nowhere')],
    ['methodNotAllowed', () => lab.rest('slices', {}, { method: 'PUT' })],
    ['document', () => lab.graphql('{ nothing }')],
    ['document', () => lab.graphql('{')],
    [
      'invalidProbe',
      () =>
        lab.graphql(`{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
          topper(probe: "none") { total } } } }`),
    ],
  ] as const)('are counted by their kind: %s', async (kind, work) => {
    expect(await errors(kind, work)).toBe(1);
  });

  it('of the service itself are counted as internal, in REST and GraphQL', async () => {
    const pools = `{ context(name: "lab") { pools { name } } }`;
    await lab.sql('alter table pools rename to away');
    try {
      expect(await errors('internal', () => lab.graphql(pools))).toBe(1);
      const rest = () => lab.rest('slices', { get_disk_usage: true });
      expect(await errors('internal', rest)).toBe(1);
    } finally {
      await lab.sql('alter table away rename to pools');
    }
  });
});

describe('the current state', () => {
  it('includes connections by the name of their node, never its address', async () => {
    await topper();
    const found = await metrics();
    const labels = { node: 'primary', state: 'idle' };
    expect(found.value('countergraph_node_connections', labels)).toBeGreaterThan(0);
    expect(found.text).not.toMatch(/postgres(ql)?:|127\.0\.0\.1/);
  });

  it('includes connections to other nodes by the names that their contexts give them', async () => {
    const address = new URL(lab.databaseUrl);
    address.searchParams.set('application_name', 'recovery');
    const nodes = [{ name: 'dr0', role: 'dr', url: address.href }];
    await lab.apply({ context: 'lab', nodes });
    await lab.rest('slices', { get_from_dr: true });
    const labels = { node: 'dr0', state: 'idle' };
    const found = await vi.waitFor(async () => {
      const told = await metrics();
      expect(told.value('countergraph_node_connections', labels)).toBe(1);
      return told;
    });
    expect(found.text).not.toMatch(/postgres(ql)?:|127\.0\.0\.1|recovery/);
  });

  it('includes the bytes, hits and misses of each cache', async () => {
    const name = 'countergraph_memory_lookups_total';
    await topper();
    const memories = ['responses', 'answers', 'catalogs', 'manifests', 'texts'] as const;
    for (const memory of memories) {
      const ask = { responses: topper, manifests: anew }[memory as string] ?? differently;
      expect(await increase(name, { memory, found: 'yes' }, ask), memory).toBeGreaterThan(0);
      const bytes = (await metrics()).value('countergraph_memory_bytes', { memory });
      expect(bytes).toBeGreaterThan(0);
      lab.emptyCaches();
      expect((await metrics()).value('countergraph_memory_bytes', { memory })).toBe(0);
      expect(await increase(name, { memory, found: 'no' }, topper), memory).toBeGreaterThan(0);
    }
  });

  it('includes the caches of filters and series', async () => {
    const name = 'countergraph_memory_lookups_total';
    const filtered = () => {
      items += 1;
      return lab.topper({
        counter_group: GROUP,
        meter: 0,
        window_fromts: T0,
        window_seconds: 3600,
        key_filter: 'a',
        get_percentiles: '50',
        ...shape(),
        maxitems: items,
      });
    };
    // A segment of one topper bucket needs no series.
    const times = [T0, T0 + 600, T0 + 1200];
    await lab.importSamples(times.map((ts) => ({ group: GROUP, key: 'a', ts, values: { 0: 1 } })));
    for (const memory of ['keys', 'blocks', 'filters', 'series']) {
      lab.emptyCaches();
      expect(await increase(name, { memory, found: 'no' }, filtered), memory).toBeGreaterThan(0);
      expect(await increase(name, { memory, found: 'yes' }, filtered), memory).toBeGreaterThan(0);
    }
  });

  it('includes the kernel, the event loop and the build', async () => {
    await topper();
    const found = await metrics();
    const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
    expect(found.value('countergraph_kernel_task_seconds_count', { task: 'fold' })).toBeGreaterThan(
      0,
    );
    expect(found.value('countergraph_kernel_threads')).toBe(0);
    expect(found.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    const node = process.versions.node;
    expect(found.value('countergraph_build_info', { version, node })).toBe(1);
  });
});

describe('background work', () => {
  const runs = (outcome: string, work: () => Promise<unknown>) =>
    increase('countergraph_merging_runs_total', { outcome }, work);

  it('counts its runs by outcome, and records when the last one ended', async () => {
    expect(await runs('ok', () => lab.mergeNow())).toBe(1);
    const { value } = await metrics();
    const at = value('countergraph_merging_last_run_timestamp_seconds');
    expect(at).toBe(lab.clock.seconds);
  });

  it('counts failures', async () => {
    await lab.sql('alter table segments rename to away');
    expect(await runs('failed', () => lab.mergeNow())).toBe(1);
    await lab.sql('alter table away rename to segments');
  });

  it('counts merges, and the segments that exist and wait', async () => {
    const context = { context: 'lab' };
    const value = async (name: string) => (await metrics()).value(name, context);
    await lab.importSamples([{ group: GROUP, key: 'a', ts: T0 + 60, values: { 0: 1 } }]);
    await lab.importSamples([{ group: GROUP, key: 'a', ts: T0 + 120, values: { 0: 1 } }]);
    // The slice has ended, and received no data for an hour.
    const { seconds } = lab.clock;
    lab.clock.seconds = Date.now() / 1000 + 3600;
    const merged = () => lab.mergeNow();
    expect(await increase('countergraph_merges_total', {}, merged)).toBe(1);
    lab.clock.seconds = seconds;
    expect(await value('countergraph_segments')).toBe(1);
    expect(await value('countergraph_segments_waiting')).toBe(0);
    expect(await value('countergraph_segment_samples')).toBeGreaterThan(1);
    expect(await value('countergraph_segment_bytes')).toBeGreaterThan(50);
  });

  it('counts imported files, and records when the last one was imported', async () => {
    const context = { context: 'lab' };
    await lab.mergeNow();
    expect(
      await increase('countergraph_imported_files', context, async () => {
        await lab.importSamples([{ group: GROUP, key: 'b', ts: T0, values: { 0: 1 } }]);
        await lab.mergeNow();
      }),
    ).toBe(1);
    const [row] = await lab.sql<{ at: number }>(
      'select extract(epoch from max(imported_at))::float8 as at from imports',
    );
    const at = (await metrics()).value('countergraph_last_import_timestamp_seconds', context);
    expect(at).toBeCloseTo(row?.at ?? 0, 3);
  });
});

describe('what feeds lost or refused', () => {
  it('is summed over all feeds of a format, by unit or reason', async () => {
    const labels = { context: CONTEXT, format: 'goflow2', probe: 'west' };
    const addAndLook = async () => {
      await addFeed();
      await lab.mergeNow();
    };
    const lost = (unit: string) =>
      increase('countergraph_feed_lost_total', { ...labels, unit }, addAndLook);
    const refused = (why: string) =>
      increase('countergraph_feed_refused_total', { ...labels, why }, addAndLook);
    await addAndLook();
    expect([await lost('flows'), await lost('packets'), await lost('datagrams')]).toEqual([
      7, 0, 2,
    ]);
    expect([await refused('line'), await refused('archived')]).toEqual([3, 4]);
  });
});

it('metrics are open to every caller: credentials are neither needed nor shown', async () => {
  const { status, text } = await lab.call('/metrics', { headers: basic(ADA) });
  expect(status).toBe(200);
  expect(text).not.toContain(ADA.token);
});
