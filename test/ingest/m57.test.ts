import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { fileSource } from '../../ingest/files/import-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { type StoredReading, storedReadings } from '../support/reference/stored-readings.ts';
import { importText } from './import-support.ts';

const DAY = join(projectRoot(), '../shared/data/m57-2009-11-18');
const LOG = join(DAY, 'conn.log.gz');
const isThere = existsSync(LOG);
if (!isThere) console.warn(`skipped: the real traffic of ${LOG} is not there`);

/** Totals of the day by group, key and meter, computed independently from the log's text. */
function totalsOf(log: string): Map<string, bigint> {
  const totals = new Map<string, bigint>();
  const add = (name: string, amount: bigint) => totals.set(name, (totals.get(name) ?? 0n) + amount);
  let columns: string[] = [];
  for (const line of log.split('\n')) {
    if (line.startsWith('#fields\t')) columns = line.split('\t').slice(1);
    if (line === '' || line.startsWith('#')) continue;
    const values = line.split('\t');
    const value = (name: string) => values[columns.indexOf(name)] ?? '-';
    const amount = (name: string) => (value(name) === '-' ? 0n : BigInt(value(name)));
    const a = value('id.orig_h');
    const b = value('id.resp_h');
    const sent = amount('orig_ip_bytes');
    const got = amount('resp_ip_bytes');
    const packets = amount('orig_pkts') + amount('resp_pkts');
    const bytes = sent + got;
    for (const [end, received, transmitted] of [
      [a, got, sent],
      [b, sent, got],
    ] as const) {
      for (const group of ['Hosts', hostGroup(end)]) {
        add(`${group} ${addressKey(end)} 0`, bytes);
        add(`${group} ${addressKey(end)} 1`, received);
        add(`${group} ${addressKey(end)} 2`, transmitted);
        add(`${group} ${addressKey(end)} 3`, packets);
        add(`${group} ${addressKey(end)} 13`, 1n);
      }
    }
    const fromHome = !isOutside(a);
    const toHome = !isOutside(b);
    const protocol = protocolKey(value('proto'), a.includes(':'));
    add(`Protocols ${protocol} 0`, bytes);
    add(`Protocols ${protocol} 1`, packets);
    add(`Protocols ${protocol} 3`, 1n);
    add('Aggregates TOTALBW 0', bytes);
    add('Aggregates TOTALBW 1', packets);
    for (const [from, to, amountOfSide, packetsOfSide] of [
      [fromHome, toHome, sent, amount('orig_pkts')],
      [toHome, fromHome, got, amount('resp_pkts')],
    ] as const) {
      add(`Aggregates ${directionKey(from, to)} 0`, amountOfSide);
      add(`Aggregates ${directionKey(from, to)} 1`, packetsOfSide);
    }
    add(`Host pairs ${addressKey(a)}\\${addressKey(b)} 0`, bytes);
    add(`Host pairs ${addressKey(a)}\\${addressKey(b)} 4`, 1n);
    if (protocol !== '06' && protocol !== '11') continue;
    const port = Number(value('id.resp_p')).toString(16).toUpperCase().padStart(4, '0');
    const app = `${port.slice(0, 2)}.${port.slice(2)}`;
    const isOut = fromHome && !toHome;
    const isIn = !fromHome && toHome;
    add(`Apps ${app} 0`, bytes);
    add(`Apps ${app} 2`, isIn ? sent : isOut ? got : 0n);
    add(`Apps ${app} 3`, isOut ? sent : isIn ? got : 0n);
    add(`Apps ${app} 4`, 1n);
    for (const end of [a, b]) {
      add(`Hosts × Apps ${addressKey(end)}\\${app} 0`, bytes);
      add(`Hosts × Apps ${addressKey(end)}\\${app} 4`, 1n);
    }
  }
  return totals;
}

/** The log's addresses are IPv4, except some link-local and multicast IPv6 ones. */
function addressKey(address: string): string {
  const bytes = address.includes(':')
    ? ipv6Groups(address).flatMap((group) => [group >> 8, group & 255])
    : address.split('.').map(Number);
  return bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('.');
}

function ipv6Groups(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const parse = (text: string) =>
    text === '' ? [] : text.split(':').map((g) => Number.parseInt(g, 16));
  const first = parse(head);
  const last = parse(tail);
  return [...first, ...Array(8 - first.length - last.length).fill(0), ...last];
}

const isUnroutable = (address: string) =>
  /^(169\.254\.|127\.|22[4-9]\.|23\d\.|0\.|255\.255\.255\.255$|fe80:|ff|::$|::1$)/.test(address);
const isHome = (address: string) =>
  /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd])/.test(address);
const isOutside = (address: string) => !isHome(address) && !isUnroutable(address);
const hostGroup = (address: string) =>
  isHome(address) ? 'Internal Hosts' : isOutside(address) ? 'External Hosts' : 'neither';

const directionKey = (from: boolean, to: boolean) =>
  from ? (to ? 'DIR_WITHINHOME' : 'DIR_OUTOFHOME') : to ? 'DIR_INTOHOME' : 'DIR_TRANSIT';

function protocolKey(name: string, isIpv6: boolean): string {
  const keys: Record<string, string> = { tcp: '06', udp: '11', icmp: isIpv6 ? '3A' : '01' };
  return keys[name] ?? 'FF';
}

describe.skipIf(!isThere)('a day of real traffic', () => {
  let database: TestDatabase;
  let readings: StoredReading[];
  let stored: Map<string, bigint>;
  let expected: Map<string, bigint>;

  beforeAll(async () => {
    database = await createTestDatabase();
    await importText(await fileSource(LOG), { databaseUrl: database.url, batchRows: 7000 });
    const meters = await rowsOf<{ name: string; slot: number; meter: number }>(
      database.url,
      'select g.name, slot, meter_id as meter from counter_groups g join meters using (group_id)',
    );
    const meterOf = new Map(meters.map(({ name, slot, meter }) => [`${name} ${slot}`, meter]));
    readings = await storedReadings(database.url);
    stored = new Map();
    for (const { group, key, slot, value } of readings) {
      const name = `${group} ${key} ${meterOf.get(`${group} ${slot}`)}`;
      stored.set(name, (stored.get(name) ?? 0n) + value);
    }
    const totals = totalsOf(gunzipSync(readFileSync(LOG)).toString());
    expected = new Map([...totals].filter(([name]) => !name.startsWith('neither ')));
  });
  afterAll(() => database.drop());

  it('has the known totals', () => {
    const hosts = [...stored].filter(([name]) => /^Hosts \S+ 0$/.test(name));
    expect(hosts).toHaveLength(432);
    expect(hosts.reduce((sum, [, bytes]) => sum + bytes, 0n)).toBe(1_725_039_564n);
    expect(stored.get('Hosts C0.A8.01.69 0')).toBe(795_091_773n);
    expect(stored.get('Apps 00.50 0')).toBe(846_312_520n);
    expect(stored.get('Aggregates TOTALBW 0')).toBe(862_519_782n);
    expect(stored.get('Protocols 06 3')).toBeGreaterThan(0n);
  });

  it('has the totals that the log itself gives, for every group, key and meter', () => {
    expect(stored.size).toBeGreaterThan(5000);
    expect(Object.fromEntries([...stored].sort())).toEqual(
      Object.fromEntries([...expected].sort()),
    );
  });

  it('covers the time from the first start to the last end', async () => {
    const [span] = await rowsOf(
      database.url,
      'select min(first_bucket)::int as first, max(last_bucket)::int as last from coverage',
    );
    // The first ts is 1258531203.914398, the latest end 1258617573.914422.
    expect(span).toEqual({ first: 1_258_531_200, last: 1_258_617_540 });
    const coverage = await rowsOf<{ name: string; first: number; last: number }>(
      database.url,
      `select g.name || ' ' || slice_id as name, first_bucket::int as first,
         last_bucket::int as last
       from coverage join counter_groups g using (group_id)`,
    );
    const covered = new Map(coverage.map(({ name, ...of }) => [name, of]));
    const spans = new Map<string, { first: number; last: number }>();
    for (const { group, sliceId, bucket } of readings) {
      const name = `${group} ${sliceId}`;
      const { first, last } = spans.get(name) ?? { first: bucket, last: bucket };
      spans.set(name, { first: Math.min(first, bucket), last: Math.max(last, bucket) });
    }
    expect(covered).toEqual(spans);
  });
});
