import { group } from '../../support/lab/lab.ts';
import { ADA, CONTEXT } from '../../support/lab/service.ts';
import { HOSTS, hostKey, SENSORS, startPageLab, TEN } from './page-lab.ts';

/** Where the page's data end, and the windows that rules decide begin. */
export const NOON = TEN + 7200;

/** A context without rules. */
export const QUIET = 'quiet';

const RULES = [
  {
    name: 'big talker',
    group: HOSTS,
    when: { key_above: 5_000_000 },
    severity: 'critical',
    description: 'A host that sends more than the backup',
  },
  { name: 'busy network', group: HOSTS, when: { total_above: 12_000_000 } },
  { name: 'half of it', group: HOSTS, when: { key_share_above: 0.4 }, severity: 'info' },
  { name: 'hot rack', group: SENSORS, when: { key_above: 29 } },
  { name: 'an hour', group: HOSTS, when: { total_above: 1 }, window_seconds: 3600, enabled: false },
];

/** Bytes of some hosts in the last minute of the n-th window from noon. */
export const inWindow = (n: number, values: readonly number[]) =>
  values.map((value, i) => {
    const place = { group: HOSTS, key: hostKey(i), ts: NOON + n * 300 - 60 };
    return { ...place, values: { 0: value } };
  });

/**
 * The page's lab with rules that have decided half an hour: of the big talkers, host 0 has gone
 * quiet, while host 2 still sends and keeps the network busy.
 */
export async function startAlertsPageLab() {
  const lab = await startPageLab();
  await lab.apply({ context: QUIET, groups: [group(1, { name: 'Hosts' })] });
  await lab.addUser(ADA, [CONTEXT, QUIET]);
  await lab.apply({ context: CONTEXT, alerts: RULES });
  const windows = [
    ...[1, 2].map((n) => inWindow(n, [8_000_000, 1_000_000, 2_000_000])),
    inWindow(3, [1_000_000, 2_000_000, 9_000_000]),
    inWindow(4, [1_000_000, 2_000_000, 15_000_000]),
    inWindow(5, [1_000_000, 2_000_000, 11_000_000]),
    inWindow(6, [1, 1, 1]),
  ];
  await lab.importSamples(windows.flat());
  await lab.decideAlertsNow();
  return lab;
}
