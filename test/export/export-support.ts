import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { aggregateOf } from '../../domain/toppers/meter-type.ts';
import { combined } from '../conversion/plain-readings.ts';
import type { TestService } from '../support/lab/service.ts';
import { type CommandOutcome, runOnDatabase } from '../support/programs/run-command.ts';
import { storedReadings } from '../support/reference/stored-readings.ts';

export const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'countergraph-export-'));

export const removeFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true });

/** Runs a command on the database of a service. */
export async function runOn(
  { databaseUrl }: Pick<TestService, 'databaseUrl'>,
  ...parameters: readonly string[]
): Promise<CommandOutcome> {
  vi.stubEnv('DATABASE_URL', databaseUrl);
  try {
    return await runOnDatabase(parameters);
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Like `runOn`, for a command that must succeed. */
export async function doneOn(
  service: Pick<TestService, 'databaseUrl'>,
  ...parameters: readonly string[]
): Promise<CommandOutcome> {
  const outcome = await runOn(service, ...parameters);
  if (outcome.status !== 0) throw new Error(`${parameters.join(' ')}: ${outcome.err.join('\n')}`);
  return outcome;
}

export type Place = { readonly service: TestService; readonly context: string };

/**
 * Copies a context as a user would: `export` with its declaration, `apply` of the declaration under
 * the other name, `import` there. Returns the file of samples.
 */
export async function takeElsewhere(
  from: Place,
  to: Place,
  { folder, engine = 0 }: { readonly folder: string; readonly engine?: number },
): Promise<string> {
  const name = join(folder, `${from.context}-${engine}`);
  const declaration = `${name}.json`;
  const samples = `${name}.ndjson.gz`;
  const which = ['--context', from.context, '--engine', String(engine)];
  await doneOn(from.service, 'export', ...which, '--declaration', declaration, samples);
  await declareAs(to, declaration);
  const where = ['--context', to.context, '--engine', String(engine)];
  await doneOn(to.service, 'import', ...where, '--format', 'samples', samples);
  return samples;
}

/** Applies a declaration under another context's name. */
export async function declareAs({ service, context }: Place, file: string): Promise<void> {
  const declared = JSON.parse(await readFile(file, 'utf8'));
  const renamed = `${file}.renamed.json`;
  await writeFile(renamed, JSON.stringify({ ...declared, context }));
  await doneOn(service, 'apply', renamed);
}

export type Reading = {
  readonly engine: number;
  /** Group, probe, key, bucket, meter's slot. */
  readonly place: string;
  /** As `value/count`. */
  readonly reading: string;
};

/** Returns the combined reading of each key, bucket, probe and meter of a context, sorted. */
export async function readingsOf({ service, context }: Place): Promise<Reading[]> {
  const engines = await service.sql<{ id: number; engine: number }>(
    'select slice_id as id, engine::int as engine from slices',
  );
  const engineOf = new Map(engines.map(({ id, engine }) => [id, engine]));
  const types = await service.sql<{ meter: string; type: number }>(
    `select g.name || ' ' || m.slot as meter, m.type
     from contexts c join counter_groups g using (context_id) join meters m using (group_id)
     where c.name = $1`,
    [context],
  );
  const aggregatesOf = new Map(types.map(({ meter, type }) => [meter, aggregateOf(type)]));
  const found = new Map<string, Reading>();
  for (const each of await storedReadings(service.databaseUrl, context)) {
    const { group, probe, key, bucket, slot } = each;
    const engine = engineOf.get(each.sliceId) ?? -1;
    const place = [group, probe, key, bucket, slot].join(' ');
    const name = `${engine} ${place}`;
    const aggregate = aggregatesOf.get(`${group} ${slot}`) ?? null;
    const reading = combined(found.get(name)?.reading, each, aggregate);
    found.set(name, { engine, place, reading });
  }
  return [...found.keys()].sort().flatMap((name) => found.get(name) ?? []);
}
