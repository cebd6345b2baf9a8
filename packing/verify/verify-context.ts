import { type Connection, inSnapshot } from '../../db/write/connection.ts';
import { existingContext } from '../../db/write/existing-context.ts';
import {
  type AvailableSlice,
  selectAvailableSlices,
} from '../../db/write/select-available-slices.ts';
import { selectProbeNames } from '../../db/write/select-names.ts';
import { selectStrayRuns } from '../../db/write/select-stray-runs.ts';
import { selectWrongCoverage } from '../../db/write/select-wrong-coverage.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sliceName } from '../../domain/slice-name.ts';
import { resolutionsOf } from '../../topk/resolutions.ts';
import { loadPackGroups, type StoredGroup } from '../pack-groups.ts';
import { type Difference, Differences, isoTime } from './differences.ts';
import { verifyCoarseBlocks } from './verify-coarse.ts';
import { type Verification, verifySliceBlocks, verifySliceSeries } from './verify-slice.ts';

export type VerifyTarget = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after each slice. */
  readonly onProgress?: (progress: { readonly slices: number; readonly of: number }) => void;
};

export type VerifyReport = {
  readonly context: string;
  /** Those that were compared, and those that are answered from samples until they are packed. */
  readonly slices: number;
  readonly unpackedSlices: number;
  /** How many readings were compared, at all resolutions together. */
  readonly readings: number;
  /** The first ones of them. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
};

/**
 * Compares all that is derived with what SQL makes of the stored samples, in one snapshot: imports
 * go on meanwhile. It shares with packing only how the packed form is read.
 */
export async function verifyContext(target: VerifyTarget): Promise<VerifyReport> {
  return withConnection(target, 'verify', (connection) =>
    inSnapshot(connection, async () => {
      const { contextId } = await existingContext(connection, target.context);
      return verifyAll(target, connection, contextId);
    }),
  );
}

async function verifyAll(
  { context, signal, onProgress }: VerifyTarget,
  connection: Connection,
  contextId: number,
): Promise<VerifyReport> {
  const differences = new Differences();
  const names = await selectProbeNames(connection, contextId);
  const verification: Verification = {
    ...{ connection, signal },
    probeName: (id) => (id === 0 ? null : (names.get(id) ?? `number ${id}`)),
    report: (subject, finding) => differences.add(subject, finding),
  };
  const groups = await loadPackGroups(connection, contextId);
  const slices = await selectAvailableSlices(connection, contextId);
  let readings = 0;
  for (const [index, slice] of slices.entries()) {
    await verifyCoverage(verification, slice, groups);
    for (const group of slice.packed ? groups.values() : []) {
      readings += await verifySliceBlocks(verification, slice, group);
      readings += await verifySliceSeries(verification, slice, group);
    }
    onProgress?.({ slices: index + 1, of: slices.length });
  }
  readings += await verifyCoarseBlocks(verification, contextId, groups);
  for (const group of groups.values()) await verifyStrays(verification, contextId, group);
  const packed = slices.filter((slice) => slice.packed).length;
  return {
    ...{ context, slices: packed, unpackedSlices: slices.length - packed, readings },
    differences: await differences.named(connection),
    differenceCount: differences.count,
  };
}

async function verifyCoverage(
  { connection, probeName, report }: Verification,
  slice: AvailableSlice,
  groups: ReadonlyMap<number, StoredGroup>,
): Promise<void> {
  for (const wrong of await selectWrongCoverage(connection, slice.sliceId)) {
    const group = groups.get(wrong.groupId);
    if (!group) continue;
    const is = span(wrong.storedFirst, wrong.storedLast);
    const problem = `${is} is stored, the samples say ${span(wrong.first, wrong.last)}`;
    const name = sliceName(slice.startsAt, slice.engine);
    const probe = probeName(wrong.probeId);
    report({ group, table: 'coverage', slice: name, probe, level: null }, { problem });
  }
}

const span = (first: number | null, last: number | null): string =>
  first === null || last === null ? 'nothing' : `${isoTime(first)} to ${isoTime(last)}`;

async function verifyStrays(
  { connection, probeName, report }: Verification,
  contextId: number,
  group: StoredGroup,
): Promise<void> {
  const { groupId, bucketSeconds, topperBucketSeconds } = group;
  const { base } = resolutionsOf(bucketSeconds);
  const of = { contextId, groupId, levels: base, topperBucketSeconds };
  for (const run of await selectStrayRuns(connection, of, LIMITS.namedDifferences)) {
    const { table, level, start, shard, sliceId, hasSlice } = run;
    const place = { group, table, slice: null, probe: probeName(run.probeId), level };
    const reason = hasSlice ? 'where the slice has none' : 'of a slice that is not there';
    const problem = `a row is stored ${reason} (slice ${sliceId}, shard ${shard})`;
    const isSeries = table === 'key_series';
    report(place, isSeries ? { key: { shard, keyId: start }, problem } : { start, problem });
  }
}
