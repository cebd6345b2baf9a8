import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type CommandOutcome, runOnDatabase } from '../support/run-command.ts';
import { ADA, type TestService } from '../support/service.ts';

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

/** The same for a command that must end well. */
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
 * Takes a context to another place, as its user would: `export` with its declaration, `apply` of
 * that under the other name, `import` there. Returns the file of samples.
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
  readonly guid: string;
  readonly probe: string | null;
  readonly engine: number;
  readonly key: string;
  readonly bucket: string;
  readonly meter: number;
  readonly sum: string;
  readonly count: string;
  readonly max: string;
  readonly min: string;
};

/**
 * What plain SQL finds in the samples of a context: of each key, bucket, probe and meter all that
 * any of the meters' rules makes of its readings.
 */
export const readingsOf = ({ service, context }: Place): Promise<Reading[]> =>
  service.sql<Reading>(
    `select g.guid::text as guid, p.name as probe, l.engine::int as engine, k.key,
       s.bucket::text as bucket, m.meter_id as meter, sum(s.readings[m.slot])::text as sum,
       sum(coalesce(s.counts[m.slot], 1))::text as count,
       max(s.readings[m.slot])::text as max, min(s.readings[m.slot])::text as min
     from contexts c join counter_groups g using (context_id) join meters m using (group_id)
     join samples s using (group_id) join slices l on l.slice_id = s.slice_id and not l.archived
     join keys k on k.group_id = s.group_id and k.shard = s.shard and k.key_id = s.key_id
     left join probes p on p.probe_id = s.probe_id
     where c.name = $1 and s.readings[m.slot] is not null
     group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
    [context],
  );

/** Of extremes the sum over equal readings means nothing, of all others the extremes do not. */
export function comparable(
  readings: readonly Reading[],
  typeOf: (guid: string, meter: number) => number,
): readonly object[] {
  return readings.map(({ sum, count, max, min, ...place }) => {
    const type = typeOf(place.guid, place.meter);
    if (type === 8 || type === 11) return { ...place, max };
    if (type === 12) return { ...place, min };
    return [5, 6, 7, 9].includes(type) ? { ...place, sum, count } : { ...place, sum };
  });
}

const KEY = 'key label readable description attributes { name value }';

/** All that GraphQL tells of a group by one meter, in some windows, of all probes and of one. */
const TOPPER = `query ($context: String!, $group: Guid!, $meter: Int!, $window: WindowInput!, $probe: String) {
  context(name: $context) { counterGroup(guid: $group) {
    timeInterval(probe: $probe) { from to }
    topper(meter: $meter, window: $window, probe: $probe, maxItems: 20) {
      total others othersMatching keyCount samplingRate availableWindow { from to }
      series { at others total }
      keys { rank ${KEY} metric volume averageRate share peak
        percentiles(ranks: [0, 50, 95, 100]) { rank value } series { at value } }
    }
  } }
}`;

export type Asked = {
  readonly group: string;
  readonly meters: readonly number[];
  readonly window: { readonly from: number; readonly to: number };
  readonly probe: string | null;
};

export async function toppersOf({ service, context }: Place, asked: Asked): Promise<unknown[]> {
  const { group, meters, window, probe } = asked;
  const answers: unknown[] = [];
  for (const meter of meters) {
    const variables = { context, group, meter, probe, window: { interval: window } };
    answers.push(await service.data(TOPPER, variables, ADA));
  }
  return answers;
}
