import { takeOutSlice } from '../../support/database/taken-slices.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

export const HOSTS = guidOf(1);
export const APPS = guidOf(2);
export const PAIRS = guidOf(3);
export const SENSORS = guidOf(4);
export const NEVER = guidOf(5);
export const BACKBONE = guidOf(6);

/** When the newest data begin: ten in the morning. */
export const TEN = T0 + 10 * 3600;

/** How many minutes of data each host has. */
const MINUTES = 120;

const HOST_COUNT = 14;

/** The raw key of the i-th largest host, from 0. */
export const hostKey = (i: number): string =>
  `0A.00.00.${(i + 10).toString(16).toUpperCase().padStart(2, '0')}`;

/** The name of the i-th largest host, from 0. */
export const hostName = (i: number): string => (i === 1 ? '=2+5' : `host-${i}.example.com`);

/** A host name that a spreadsheet would take for a formula. */
export const FORMULA_HOST = hostName(1);

function* hostLines(from: number, minutes: number): Generator<Line> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let i = 0; i < HOST_COUNT; i += 1) {
      const wave = 1 + ((minute * (i + 1)) % 5);
      yield {
        group: HOSTS,
        key: hostKey(i),
        ts: from + minute * 60,
        values: { 0: 100_000 * (HOST_COUNT - i) * wave, 1: HOST_COUNT - i },
        label: hostName(i),
        ...(i === 0 && { description: 'the file server', attributes: { room: 'cellar' } }),
      };
    }
  }
}

function* pairLines(): Generator<Line> {
  for (let i = 0; i < HOST_COUNT; i += 1) {
    for (const [port, part] of [
      ['01.BB', 3],
      ['00.16', 1],
    ] as const) {
      const value = 1_000_000 * (HOST_COUNT - i) * part;
      yield { group: PAIRS, key: `${hostKey(i)}\\${port}`, ts: TEN, values: { 0: value } };
      yield { group: APPS, key: port, ts: TEN, values: { 0: value } };
    }
  }
}

const BEYOND = 2n ** 53n + 1n;

const otherLines = (): readonly Line[] =>
  Array.from({ length: 24 }, (_, i) => i * 300 + TEN).flatMap((ts, i) => [
    { group: SENSORS, key: 'rack 1', ts, values: { 0: 21 + (i % 4) } },
    { group: SENSORS, key: 'rack 2', ts, values: { 0: 30 - (i % 3) } },
    { group: BACKBONE, key: 'core', ts, values: { 0: BEYOND } },
    { group: BACKBONE, key: 'edge', ts, values: { 0: 5n } },
  ]);

const bytes = (id: number, name: string) => ({ ...meter(id, 2, name), units: 'bytes' });

/** A service whose context has everything that the page shows, and is small enough to know. */
export async function startPageLab(): Promise<TestService> {
  const lab = await startLab({
    groups: [
      group(1, {
        name: 'Hosts',
        key_kind: 'ipv4',
        meters: [
          { ...bytes(0, 'Total bytes'), description: 'Bytes of both ends' },
          { ...meter(1, 2, 'Connections'), units: 'connections' },
        ],
      }),
      group(2, { name: 'Apps', key_kind: 'port', meters: [bytes(0, 'Total bytes')] }),
      group(3, {
        name: 'Hosts × Apps',
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
        meters: [bytes(0, 'Total bytes')],
      }),
      group(4, { name: 'Sensors', meters: [{ ...meter(0, 5, 'Temperature'), units: 'celsius' }] }),
      group(5, { name: 'Never' }),
      group(6, { name: 'Backbone', meters: [bytes(0, 'Total bytes')] }),
    ],
    declaration: { pools: [{ name: 'oper', path: '/' }] },
    lines: [
      // First, so that the oldest slice has the lowest id.
      ...hostLines(TEN - 2 * DAY, 5),
      ...hostLines(TEN - DAY, MINUTES),
      ...hostLines(TEN, MINUTES),
      ...pairLines(),
      ...otherLines(),
    ],
  });
  await archiveOldest(lab);
  return lab;
}

async function archiveOldest(lab: TestService): Promise<void> {
  const [oldest] = await lab.sql<{ id: number }>('select min(slice_id) as id from slices');
  await takeOutSlice(lab, oldest?.id ?? 0);
}
