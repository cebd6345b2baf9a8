import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { runCommand } from '../systems/product.ts';

export const GROUPS = 20;
export const FROM = Date.UTC(2026, 0, 5) / 1000;
const KEYS = 200;
const MINUTES = 60;

export const guidOf = (group: number): string =>
  `{5B1F0E52-6A0B-4C1E-8F0D-3B9D2C7E4B${String(group).padStart(2, '0')}}`;

const METERS = ['bytes', 'packets', 'connections'] as const;

/** An hour of twenty groups of three meters, each of 200 labelled keys. */
export async function loadServingData(databaseUrl: string, folder: string): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  const groups = Array.from({ length: GROUPS }, (_, group) => ({
    ...{ guid: guidOf(group), name: `Group ${group}`, key_kind: 'text' },
    meters: METERS.map((units, id) => ({
      ...{ id, type: 2, topcount: 100, name: units, description: `Total ${units}`, units },
    })),
  }));
  await writeFile(declaration, JSON.stringify({ context: CONTEXT, groups }));
  await runCommand(databaseUrl, ['apply', declaration]);
  await runCommand(databaseUrl, ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT]);
  const file = join(folder, 'samples.ndjson');
  await writeFile(file, lines());
  await runCommand(databaseUrl, ['import', '--context', CONTEXT, '--format', 'samples', file]);
}

function* lines(): Generator<string> {
  for (let minute = 0; minute < MINUTES; minute += 1) {
    for (let group = 0; group < GROUPS; group += 1) {
      for (let key = minute % 3; key < KEYS; key += 3) {
        const value = ((key * 7919 + minute * 104_729) % 10_007) + 1;
        const line = {
          ...{ group: guidOf(group), key: `host-${key}`, ts: FROM + minute * 60 },
          values: { 0: value * 600, 1: value, 2: 1 },
          ...(minute < 3 && { label: `Host number ${key}` }),
        };
        yield `${JSON.stringify(line)}\n`;
      }
    }
  }
}
