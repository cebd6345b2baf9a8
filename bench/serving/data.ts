import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { runCommand, startEmbedded } from '../systems/product.ts';

export const GROUPS = 20;
export const FROM = Date.UTC(2026, 0, 5) / 1000;
const KEYS = 200;
export const MINUTES = 60;

export const guidOf = (group: number): string =>
  `{5B1F0E52-6A0B-4C1E-8F0D-3B9D2C7E4B${String(group).padStart(2, '0')}}`;

const METERS = ['bytes', 'packets', 'connections'] as const;

/** Starts a PostgreSQL with the data below. Returns its URL. */
export async function openServingDatabase(cleanup: Cleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-serving-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  showProgress('starting PostgreSQL');
  const postgres = await startEmbedded({ dataDir: join(folder, 'postgres'), settings: {} });
  cleanup.add(() => rm(postgres.dataDir, { recursive: true, force: true }));
  cleanup.add(() => postgres.stop());
  showProgress('importing');
  await loadServingData(postgres.url, folder);
  return postgres.url;
}

/** Loads an hour of twenty groups, each with three meters and 200 labelled keys. */
async function loadServingData(databaseUrl: string, folder: string): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  const groups = Array.from({ length: GROUPS }, (_, group) => ({
    guid: guidOf(group),
    name: `Group ${group}`,
    key_kind: 'text',
    meters: METERS.map((units, id) => ({
      id,
      type: 2,
      topcount: 100,
      name: units,
      description: `Total ${units}`,
      units,
    })),
  }));
  await writeFile(declaration, JSON.stringify({ context: CONTEXT, groups }));
  await runCommand(databaseUrl, ['apply', declaration]);
  await runCommand(databaseUrl, ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT]);
  await importMinutes(databaseUrl, folder, { from: 0, to: MINUTES });
}

/** Imports some minutes, which count from FROM. */
export async function importMinutes(
  databaseUrl: string,
  folder: string,
  minutes: Minutes,
): Promise<void> {
  const file = join(folder, `samples-${minutes.from}.ndjson`);
  await writeFile(file, lines(minutes));
  await runCommand(databaseUrl, ['import', '--context', CONTEXT, '--format', 'samples', file]);
  await rm(file);
}

type Minutes = { readonly from: number; readonly to: number };

/** In each minute, every third key has readings, which are the same in all groups. */
function* valuesOf(minute: number): Generator<{ readonly key: number; readonly value: number }> {
  for (let key = minute % 3; key < KEYS; key += 3) {
    yield { key, value: ((key * 7919 + minute * 104_729) % 10_007) + 1 };
  }
}

/** Returns the total of the first meter of each group. */
export function totalOf({ from, to }: Minutes): number {
  let total = 0;
  for (let minute = from; minute < to; minute += 1) {
    for (const { value } of valuesOf(minute)) total += value * 600;
  }
  return total;
}

function* lines({ from, to }: Minutes): Generator<string> {
  for (let minute = from; minute < to; minute += 1) {
    for (let group = 0; group < GROUPS; group += 1) {
      for (const { key, value } of valuesOf(minute)) {
        const line = {
          group: guidOf(group),
          key: `host-${key}`,
          ts: FROM + minute * 60,
          values: { 0: value * 600, 1: value, 2: 1 },
          ...(minute < 3 && { label: `Host number ${key}` }),
        };
        yield `${JSON.stringify(line)}\n`;
      }
    }
  }
}
