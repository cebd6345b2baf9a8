import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseReadableKey } from '../../domain/keys/key-text.ts';
import { distributePages, undistributePages } from '../../store/distribute/distribute-pages.ts';
import { compactContext } from '../../store/merge/compact-context.ts';
import { openStream } from '../support/http/event-stream.ts';
import { DAY, group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
import { hasCluster, shardCount } from './cluster.ts';

const HOSTS = guidOf(1);

const RANKINGS = ['METRIC', 'PEAK', 'PERCENTILE', 'GROWTH', 'DECLINE', 'NEW'];

const KEYS = ['', 'prefix: {ipv4: 24, ipv6: 48}', 'prefix: {ipv4: 16}'];

const rankedBy = (rankBy: string, keys: string, from: number) =>
  `topper(window: {interval: {from: ${from}, to: ${from + DAY}}}, rankBy: ${rankBy}, ${keys}, maxItems: 5) {
    total others keyCount
    keys { rank key metric rankValue peak percentiles(ranks: [50, 95]) { value }
           series(step: 3600) { at value } previous(ago: 3600) { metric rank } }
  }`;

/** Every ranking of addresses and of networks, over a sealed day and an open one. */
const QUESTION = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") { ${[0, DAY]
  .flatMap((start) =>
    RANKINGS.flatMap((rankBy) => KEYS.map((keys) => rankedBy(rankBy, keys, T0 + start))),
  )
  .map((topper, n) => `t${n}: ${topper}`)
  .join('\n')} } } }`;

const TOTAL = `subscription { topper(context: "${CONTEXT}", counterGroup: "${HOSTS}",
  window: {interval: {from: ${T0}, to: ${T0 + 9 * DAY}}}, rankBy: PEAK, prefix: {ipv4: 24}) { total } }`;

/** Addresses throughout a day, with varying values. */
const linesOf = (day: number): Line[] =>
  Array.from({ length: 96 }, (_, n) => ({
    group: HOSTS,
    key: parseReadableKey('ip', ADDRESSES[n % ADDRESSES.length] ?? '') ?? '',
    ts: T0 + day * DAY + 900 * n,
    values: { 0: 1 + ((7919 * (n + 31 * day)) % 1009) },
  }));

const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.1.1', '10.7.0.1', '2001:db8::1', '2001:db8:1::1'];

type Answer = {
  readonly context: {
    readonly counterGroup: Readonly<Record<string, { readonly keys: readonly object[] }>>;
  };
};

describe.skipIf(!hasCluster)('on distributed pages', { timeout: 300_000 }, () => {
  let lab: TestService;

  beforeAll(async () => {
    lab = await startLab({
      groups: [group(1, { key_kind: 'ip' })],
      lines: [...linesOf(0), ...linesOf(1)],
      declaration: {
        alerts: [
          { name: 'large', group: HOSTS, when: { key_above: 900 } },
          { name: 'growth', group: HOSTS, when: { key_grows_by: 500 }, window_seconds: 900 },
        ],
      },
    });
    vi.stubEnv('DATABASE_URL', lab.databaseUrl);
    await compactContext({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      now: () => T0 + 2 * DAY,
    });
    await lab.importSamples(linesOf(2));
  }, 300_000);

  afterAll(async () => {
    vi.unstubAllEnvs();
    await lab?.close();
  });

  /** Returns the output of the command: a line for each event over all days. */
  async function tested(alert: string): Promise<readonly string[]> {
    const iso = (second: number) => new Date(second * 1000).toISOString();
    const { status, out } = await runOnDatabase([
      'alerts',
      'test',
      '--context',
      CONTEXT,
      '--alert',
      alert,
      '--json',
      '--from',
      iso(T0),
      '--to',
      iso(T0 + 3 * DAY),
    ]);
    expect(status).toBe(0);
    return out;
  }

  async function allOf() {
    lab.emptyCaches();
    const { context } = await lab.data<Answer>(QUESTION);
    return {
      toppers: context.counterGroup,
      large: await tested('large'),
      growth: await tested('growth'),
    };
  }

  it('rankings, networks and alerts equal those on one server', async () => {
    expect(await shardCount(lab.databaseUrl)).toBe(4);
    const distributed = await allOf();
    const { toppers, large, growth } = distributed;
    expect(Object.values(toppers).filter(({ keys }) => keys.length > 0).length).toBeGreaterThan(20);
    expect(large.length).toBeGreaterThan(3);
    expect(growth.length).toBeGreaterThan(3);
    await undistributePages({ databaseUrl: lab.databaseUrl });
    expect(await allOf()).toEqual(distributed);
    await distributePages({ databaseUrl: lab.databaseUrl });
    expect(await allOf()).toEqual(distributed);
  });

  it('subscriptions follow commits, and the server evaluates rules', async () => {
    const total = (lines: readonly Line[]) =>
      lines.reduce((sum, { values }) => sum + Number(values[0]), 0);
    const before = total([0, 1, 2].flatMap(linesOf));
    const stream = await openStream(lab.url, TOTAL);
    expect(await stream.answer()).toEqual({ topper: { total: before } });
    await lab.importSamples(linesOf(3));
    expect(await stream.answer()).toEqual({ topper: { total: before + total(linesOf(3)) } });
    stream.close();
    await lab.decideAlertsNow();
    const decided = await lab.data<{ context: { alertEvents: { edges: object[] } } }>(
      `{ context(name: "${CONTEXT}") { alertEvents(first: 100) { edges { node { startedAt value } } } } }`,
    );
    expect(decided.context.alertEvents.edges.length).toBeGreaterThan(0);
  });
});
