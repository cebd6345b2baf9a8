import { selectCounterGroups } from '../../db/queries/select-counter-groups.ts';
import { selectCoverage } from '../../db/queries/select-coverage.ts';
import { selectMeters } from '../../db/queries/select-meters.ts';
import { selectPools } from '../../db/queries/select-pools.ts';
import { selectProbes } from '../../db/queries/select-probes.ts';
import { type ServerFactsRow, selectServerFacts } from '../../db/queries/select-server-facts.ts';
import { selectSliceSizes } from '../../db/queries/select-slice-sizes.ts';
import { selectSlices } from '../../db/queries/select-slices.ts';
import { selectTotalWindows } from '../../db/queries/select-total-windows.ts';
import type { ReadSession } from '../../db/read-session.ts';
import { manyLoader, oneLoader } from './batch.ts';
import { groupStepsLoader } from './group-steps.ts';
import { keyReadingsLoader } from './key-readings.ts';
import { keyStepsLoader } from './key-steps.ts';
import {
  crossKeysLoader,
  groupKeysLoader,
  keyByIdLoader,
  keyByTextLoader,
  keyCountLoader,
  keyPageLoader,
} from './keys.ts';

export type { KeyGroup, KeyRow } from '../../db/queries/key-columns.ts';
export type { CounterGroupRow } from '../../db/queries/select-counter-groups.ts';
export type { CoverageRow } from '../../db/queries/select-coverage.ts';
export type { MeterRow } from '../../db/queries/select-meters.ts';
export type { PoolRow } from '../../db/queries/select-pools.ts';
export type { SliceRow } from '../../db/queries/select-slices.ts';

/** One DataLoader per relation, fresh for every request and node: nothing outlives its snapshot. */
export function createNodeLoaders(session: ReadSession) {
  let serverFacts: Promise<ServerFactsRow> | undefined;
  return {
    serverFacts: (): Promise<ServerFactsRow> => {
      serverFacts ??= selectServerFacts(session);
      return serverFacts;
    },
    groupsByContext: manyLoader(
      (ids: readonly number[]) => selectCounterGroups(session, ids),
      (row) => row.context_id,
    ),
    metersByGroup: manyLoader(
      (ids: readonly number[]) => selectMeters(session, ids),
      (row) => row.group_id,
    ),
    coverageByGroup: manyLoader(
      (ids: readonly number[]) => selectCoverage(session, ids),
      (row) => row.groupId,
    ),
    totalWindowByContext: oneLoader(
      (ids: readonly number[]) => selectTotalWindows(session, ids),
      (id) => id,
      (row) => row.contextId,
    ),
    slicesByContext: manyLoader(
      (ids: readonly number[]) => selectSlices(session, ids),
      (row) => row.contextId,
    ),
    sliceSize: oneLoader(
      (ids: readonly number[]) => selectSliceSizes(session, ids),
      (id) => id,
      (row) => row.sliceId,
    ),
    probesByContext: manyLoader(
      (ids: readonly number[]) => selectProbes(session, ids),
      (row) => row.contextId,
    ),
    poolsByContext: manyLoader(
      (ids: readonly number[]) => selectPools(session, ids),
      (row) => row.contextId,
    ),
    keyReadings: keyReadingsLoader(session),
    keySteps: keyStepsLoader(session),
    groupSteps: groupStepsLoader(session),
    keyById: keyByIdLoader(session),
    keyByText: keyByTextLoader(session),
    groupKeys: groupKeysLoader(session),
    keyPage: keyPageLoader(session),
    keyCount: keyCountLoader(session),
    crossKeys: crossKeysLoader(session),
  };
}

export type NodeLoaders = ReturnType<typeof createNodeLoaders>;
