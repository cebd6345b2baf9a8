import { type Connection, inSnapshot } from '../db/connection/connection.ts';
import { withConnection } from '../db/connection/with-connection.ts';
import { existingContext } from '../db/sql/contexts.ts';
import { type GroupRow, selectGroups } from '../db/sql/declaration.ts';
import { type SliceTimes, selectSliceTimes } from '../db/sql/slices.ts';
import { sliceName } from '../domain/slices/slice-name.ts';
import { type Guid, storedGuid } from '../domain/text/guid.ts';
import { type EpochSeconds, MAX_EPOCH_SECONDS } from '../domain/time/interval.ts';
import { aggregateOf } from '../domain/toppers/meter-type.ts';
import { exportDeclaration } from './declaration.ts';
import type { Output } from './output.ts';
import type { ExportedGroup } from './reading-source.ts';
import { openSegments } from './segments-source.ts';
import {
  type ExportFormat,
  type ExportProgress,
  type WrittenReadings,
  writeReadings,
} from './write-readings.ts';

export type ExportOptions = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly format: ExportFormat;
  /** All groups if omitted. */
  readonly groups?: readonly Guid[] | undefined;
  /** Export buckets that start in [from, to). An omitted bound is open. */
  readonly from?: EpochSeconds | undefined;
  readonly to?: EpochSeconds | undefined;
  readonly engine: number;
  readonly output: Output;
  /** Output for the matching `apply` file. */
  readonly declaration?: Output | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type ExportReport = WrittenReadings & {
  readonly context: string;
  readonly format: ExportFormat;
  /** null means standard output. */
  readonly file: string | null;
  readonly engine: number;
  readonly groups: number;
  readonly slices: number;
  /** Names of the engine's slices in the window that are archived and therefore left out. */
  readonly archivedSlices: readonly string[];
  /**
   * Number of available slices in the window that belong to other engine instances, by instance.
   */
  readonly otherEngines: Readonly<Record<string, number>>;
  readonly declaration: string | null;
  /** Nodes left out of the declaration; empty if there is no declaration. */
  readonly leftOutNodes: readonly string[];
  /** Sinks whose address is in the declaration; empty if there is no declaration. */
  readonly sinksWithAddress: readonly string[];
};

/**
 * Exports the contents of a context from one snapshot, unaffected by concurrent imports. Afterwards
 * the caller keeps or discards the outputs. Errors: the context or a group does not exist.
 */
export const exportContext = (options: ExportOptions): Promise<ExportReport> =>
  withConnection(options, 'export', (connection) =>
    inSnapshot(connection, () => exportSnapshot(connection, options)),
  );

async function exportSnapshot(
  connection: Connection,
  options: ExportOptions,
): Promise<ExportReport> {
  const { context, engine, signal, output, declaration } = options;
  const found = await existingContext(connection, context);
  const { contextId } = found;
  const all = await selectGroups(connection, contextId);
  const groups = chooseGroups(all, options);
  const slices = sortSlices(await selectSliceTimes(connection, contextId), options);
  const declared = declaration
    ? await exportDeclaration(connection, { name: context, context: found, groups: all })
    : null;
  if (declared) await declaration?.write(oneText(declared.text), signal);
  signal?.throwIfAborted();
  const source = await openSegments({
    ...windowOf(options),
    connection,
    contextId,
    groups: groups.map(exportedGroup),
    slices: slices.available,
    signal,
  });
  const written = await writeReadings({ ...options, source });
  return {
    ...written,
    context,
    format: options.format,
    file: output.file,
    engine,
    groups: groups.length,
    slices: slices.available.length,
    archivedSlices: slices.archived.map(({ startsAt }) => sliceName(startsAt, engine)),
    otherEngines: slices.otherEngines,
    declaration: declaration?.file ?? null,
    leftOutNodes: declared?.leftOutNodes ?? [],
    sinksWithAddress: declared?.sinksWithAddress ?? [],
  };
}

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}

const windowOf = ({ from = 0, to = MAX_EPOCH_SECONDS + 1 }: ExportOptions) => ({ from, to });

/** Returns the groups to export, in declaration order. Errors: a requested group does not exist. */
function chooseGroups(
  all: readonly GroupRow[],
  { context, groups: wanted }: ExportOptions,
): readonly GroupRow[] {
  if (!wanted) return all;
  const known = new Map(all.map((group) => [storedGuid(group.guid), group]));
  for (const guid of wanted) {
    if (known.has(guid)) continue;
    const names = [...known].map(([own, { name }]) => `${own} ${name}`);
    const there = names.length > 0 ? `its groups are ${names.join(', ')}` : 'it has none';
    throw new Error(`Context ${context} has no counter group ${guid} (${there})`);
  }
  return all.filter((group) => wanted.includes(storedGuid(group.guid)));
}

/** Sorts the slices that overlap the window into those to read and those to leave out. */
function sortSlices(all: readonly SliceTimes[], options: ExportOptions) {
  const { from, to } = windowOf(options);
  const met = all.filter(({ startsAt, endsAt }) => startsAt < to && endsAt > from);
  const own = met.filter(({ engine }) => engine === options.engine);
  const others: Record<string, number> = {};
  for (const { engine, archived } of met) {
    if (engine !== options.engine && !archived) others[engine] = (others[engine] ?? 0) + 1;
  }
  return {
    available: own.filter(({ archived }) => !archived),
    archived: own.filter(({ archived }) => archived),
    otherEngines: others,
  };
}

export const exportedGroup = ({ groupId, keysGroupId, guid, meters }: GroupRow): ExportedGroup => ({
  keysGroupId,
  groupId,
  guid: storedGuid(guid),
  meters: meters.map(({ id, slot, type }) => ({
    id,
    meterIndex: slot - 1,
    aggregate: aggregateOf(type),
  })),
});
