import { exporter, hearExporters } from './hear-exporters.ts';
import { DAY, guidOf, meter, T0 } from './lab.ts';
import type { Line, TestService } from './service.ts';

/** A context with secrets, and another whose users must not learn them. */
export const VAULT = 'the vault';
export const OPEN = 'open';
/** Groups of the vault; the last shares its number with a group of the open context. */
export const HOSTS = 0xfade01;
export const PAIRS = 0xfade02;
export const SHARED = 1;

/** In 2021, so that the vault and the open context have no times in common. */
export const THEN = T0 - 1_111 * DAY;

export const named = (what: string, id: number, type: number) => ({
  ...meter(id, type, `${what} meter`),
  description: `${what} description`,
  units: `${what} units`,
  topcount: 4_711,
});

export const alertOf = (id: number, what: string) => ({
  name: `${what} alert`,
  group: guidOf(id),
  when: { key_above: 55_000_000_001 },
  severity: `${what} severity`,
  description: `${what} watches`,
  probe: `${what}-probe`,
  filter: { match: '.', exclude: `${what} excluded`, search: `${what} searched` },
});

export const sinkOf = (what: string) => ({
  name: `${what} sink`,
  kind: 'webhook',
  url_env: `${what.toUpperCase()}_WEBHOOK`,
});

export const vaultLines: Line[] = ['alpha', 'beta'].flatMap((name, i) =>
  [THEN, THEN + 300, THEN - 600].flatMap((ts) => [
    ...[guidOf(HOSTS), guidOf(SHARED)].map((guid) => ({
      group: guid,
      key: `vault-${name}`,
      ts,
      probe: 'vault-probe',
      values: { 0: 73_000_000_001 + i },
      label: `vault label ${name}`,
      description: `vault says ${name}`,
      attributes: { 'vault-attribute': `vault-${i}` },
    })),
    {
      group: guidOf(PAIRS),
      key: `vault-${name}\\vault-alpha\\vault-beta`,
      ts,
      values: { 0: 65_000_000_001 },
      probe: 'vault-probe',
    },
  ]),
);

/**
 * Stores an exporter for each of the two contexts, of which there is something to say, a view for
 * everybody who may read one, and what editors say of alerts.
 */
export async function fillBoth({ databaseUrl, sql }: TestService): Promise<void> {
  for (const [context, address] of [
    [VAULT, '192.0.2.57'],
    [OPEN, '192.0.2.1'],
  ] as const) {
    const more = { lostFlows: 1, refused: { truncated: 1 }, clockAheadSeconds: 1 };
    const exporters = [exporter(address, { ...more, doubts: [`${address} is late.`] })];
    await hearExporters(databaseUrl, { context, exporters });
  }
  await sql(`insert into saved_views (context_id, user_id, name, address, shared, live)
    select context_id, user_id, 'view of ' || name, '?find=' || name, true, false
    from grants join contexts using (context_id)`);
  await sql(`update alerts a set made_by = 'made ' || a.name, silenced_by = 'silent ' || a.name,
      silenced_until = now() + c.context_id * interval '1 day', silence_reason = 'hush ' || a.name
    from contexts c where c.context_id = a.context_id`);
  await sql(`update alert_events e set acknowledged_by = 'hand of ' || a.name, note = 'note ' || a.name,
      acknowledged_at = now()
    from alerts a where a.alert_id = e.alert_id`);
  await sql(`update alert_sinks set delivered_at = '2021-02-03', failed_at = now(),
    failure = 'failure of ' || name`);
}

/** What a document names. */
export type Names = {
  context: string;
  at: number;
  hosts: string;
  pairs: string;
  key: string;
  probe: string;
};

/** The arguments of the fields whose arguments matter. */
export const argumentsFor = ({ context, at, hosts, pairs, key, probe }: Names) => {
  const window = `window: { startingAt: { from: ${at}, seconds: 600 } }`;
  const topper = `${window}, probe: "${probe}"`;
  const rule = `{ name: "tried", counterGroup: "${hosts}", condition: KEY_ABOVE, threshold: 1 }`;
  return {
    'Query.context': `(name: "${context}")`,
    'Query.node': '(id: $id)',
    'Query.nodes': '(ids: [$id])',
    'Context.slices': '(allEngines: true)',
    'Context.counterGroup': `(guid: "${hosts}")`,
    'Context.alertTrial': `(alert: ${rule}, ${window})`,
    'CounterGroup.timeInterval': `(probe: "${probe}")`,
    'CounterGroup.meter': '(index: 0)',
    // Its `compared` is null if it does not compare.
    'CounterGroup.topper': `(rankBy: GROWTH, ${topper})`,
    'CounterGroup.topperTrend': `(every: 300, ${topper})`,
    'CounterGroup.keys': '(first: 100)',
    'CounterGroup.key': `(key: "${key}")`,
    'Meter.topper': `(${topper})`,
    'Key.drilldown': `(crosskey: "${pairs}", ${topper})`,
    'TopperKey.percentiles': '(ranks: [50, 95])',
    'TopperMatching.percentiles': '(ranks: [50, 95])',
    'TopperKey.drilldown': `(crosskey: "${pairs}")`,
  };
};
