import { selectPools } from '../../db/queries/select-pools.ts';
import { type ServerFactsRow, selectServerFacts } from '../../db/queries/select-server-facts.ts';
import { selectSliceSizes } from '../../db/queries/select-slice-sizes.ts';
import { type SlicesRow, selectSlices } from '../../db/queries/select-slices.ts';
import { selectTotalWindows } from '../../db/queries/select-total-windows.ts';
import { manyLoader, oneLoader } from './batch.ts';
import type { Catalog } from './catalog.ts';
import { groupStepsLoader } from './group-steps.ts';
import { keyStepsLoader } from './key-steps.ts';
import {
  crossKeysLoader,
  groupKeysLoader,
  keyByTextLoader,
  keyCountLoader,
  keyPageLoader,
  keysByIdLoader,
} from './keys.ts';
import type { NodeReader } from './node-reader.ts';
import { passingKeysLoader } from './passing-keys.ts';
import { topperAnswersLoader } from './topper-answers.ts';

export type { KeyGroup, KeyRow } from '../../db/queries/key-columns.ts';
export type { PoolRow } from '../../db/queries/select-pools.ts';
export type { SliceRow } from '../../db/queries/select-slices.ts';
export type { CounterGroupRow, CoverageRow, MeterRow } from './catalog.ts';

/** One DataLoader per relation, fresh for every request and node. */
export function createNodeLoaders(reader: NodeReader) {
  const { session } = reader;
  let serverFacts: Promise<ServerFactsRow> | undefined;
  const slicesByContext = oneLoader(
    (ids: readonly number[]) => selectSlices(session, ids, reader.requestId),
    (id) => id,
    (row) => row.contextId,
  );
  const topperAnswers = topperAnswersLoader(reader);
  const groupKeys = groupKeysLoader(session);
  return {
    /** See NodeReader. */
    goOn: () => reader.goOn(),
    takeTurn: () => reader.takeTurn(),
    serverFacts: (): Promise<ServerFactsRow> => {
      serverFacts ??= selectServerFacts(session);
      return serverFacts;
    },
    /** Groups, meters, probes and what data there are of a context. */
    catalog: async (contextId: number): Promise<Catalog> =>
      (await reader.context(contextId)).catalog,
    totalWindowByContext: oneLoader(
      (ids: readonly number[]) => selectTotalWindows(session, ids),
      (id) => id,
      (row) => row.contextId,
    ),
    slicesByContext,
    /** Slices that another statement has brought along. */
    noteSlices: (row: SlicesRow): void => {
      slicesByContext.prime(row.contextId, row);
    },
    sliceSize: oneLoader(
      (ids: readonly number[]) => selectSliceSizes(session, ids),
      (id) => id,
      (row) => row.sliceId,
    ),
    poolsByContext: manyLoader(
      (ids: readonly number[]) => selectPools(session, ids),
      (row) => row.contextId,
    ),
    topperAnswers,
    keySteps: keyStepsLoader(reader, topperAnswers),
    groupSteps: groupStepsLoader(reader),
    passingKeys: passingKeysLoader(reader, groupKeys),
    keysById: keysByIdLoader(reader),
    keyByText: keyByTextLoader(session),
    groupKeys,
    keyPage: keyPageLoader(session),
    keyCount: keyCountLoader(session),
    crossKeys: crossKeysLoader(session),
  };
}

export type NodeLoaders = ReturnType<typeof createNodeLoaders>;
