import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import {
  type ImportFileOptions,
  type ImportReport,
  importFile,
} from '../../ingest/files/import-file.ts';
import type { ImportSource } from '../../ingest/files/import-source.ts';
import { withClient } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { storedReadings } from '../support/reference/stored-readings.ts';
import { textSource } from './text-source.ts';

export const NOW = 1_700_100_010;

export const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
export const GAUGES = '{11111111-2222-3333-4444-555555555555}';

type Options = Partial<ImportFileOptions> & { databaseUrl: string };

/** Imports a text or another source: by default a Zeek conn.log, into context `lab`. */
export const importText = (
  content: string | ImportSource,
  { databaseUrl, ...options }: Options,
): Promise<ImportReport> =>
  importFile({
    databaseUrl,
    context: 'lab',
    format: 'zeek',
    source: typeof content === 'string' ? textSource(content) : content,
    now: () => NOW,
    ...options,
  });

export const CONN_HEADER =
  '#fields\tts\tid.orig_h\tid.resp_h\tid.resp_p\tproto\tduration\torig_ip_bytes\tresp_ip_bytes';

/** A line of a conn.log: 100 bytes out and 1000 back, from an internal host to an external one. */
export const conn = (
  ts: number | string,
  { from = '10.0.0.1', to = '198.51.100.1', port = 80, duration = '0', bytes = '100\t1000' } = {},
): string => [ts, from, to, port, 'tcp', duration, bytes].join('\t');

export const connLog = (...lines: string[]): string => [CONN_HEADER, ...lines, ''].join('\n');

/** A context with a text group of counters 0 and 1, and one of a mean, a maximum and a minimum. */
export const declareSamples = (databaseUrl: string, context = 'lab'): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    applyDeclaration(client, {
      context,
      groups: [
        {
          guid: HOSTS,
          name: 'Counters',
          key_kind: 'text',
          meters: [
            { id: 0, type: 2, name: 'Bytes' },
            { id: 1, type: 4, name: 'Rate' },
          ],
        },
        {
          guid: GAUGES,
          name: 'Gauges',
          key_kind: 'text',
          meters: [
            { id: 0, type: 5, name: 'Load' },
            { id: 1, type: 11, name: 'Highest' },
            { id: 2, type: 12, name: 'Lowest' },
          ],
        },
      ],
    }),
  );

/** Lines in the samples format: by default at NOW and of key `a`. */
export const samples = (...lines: object[]): string =>
  lines.map((line) => `${JSON.stringify({ group: HOSTS, key: 'a', ts: NOW, ...line })}\n`).join('');

const TABLES =
  'contexts counter_groups crosskeys meters probes engines slices segments key_texts coverage imports';

/** Counts everything an import may leave behind: rows of every table it writes, and partitions. */
export async function traces(databaseUrl: string): Promise<Record<string, number>> {
  const counts = TABLES.split(' ').map(
    (table) => `(select count(*)::int from ${table}) as ${table}`,
  );
  const [row] = await rowsOf<Record<string, number>>(
    databaseUrl,
    `select ${counts.join(', ')}, (select count(*)::int from pg_class
       where relkind = 'r' and relname ~ '_segment_pages_[0-9_]+$') as partitions`,
  );
  return row ?? {};
}

/** `traces` of a database into which nothing was imported. */
export const NOTHING = Object.fromEntries(
  [...TABLES.split(' '), 'partitions'].map((of) => [of, 0]),
);

/** The sums of a context's readings, means and counters alike, by group, key and slot. */
export async function sums(databaseUrl: string, context = 'lab'): Promise<Record<string, string>> {
  const total = new Map<string, bigint>();
  for (const { group, key, slot, value } of await storedReadings(databaseUrl, context)) {
    const name = `${group} ${key} ${slot}`;
    total.set(name, (total.get(name) ?? 0n) + value);
  }
  return Object.fromEntries(Array.from(total, ([name, sum]) => [name, `${sum}`]));
}

/** `key+bucket slot value` of each reading of a group; buckets count from `start`. */
export async function readingsOf(
  databaseUrl: string,
  { group, start, context = 'lab' }: { group: string; start: number; context?: string },
): Promise<string[]> {
  const stored = await storedReadings(databaseUrl, context);
  return stored
    .filter((each) => each.group === group)
    .map(({ key, bucket, slot, value }) => `${key}+${bucket - start} ${slot} ${value}`);
}
