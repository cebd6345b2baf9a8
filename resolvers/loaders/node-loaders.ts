import { partitionSize } from '../../db/page-tables.ts';
import { selectPools, selectTotalWindows } from '../../db/sql/catalog.ts';
import { selectExporters } from '../../db/sql/exporters.ts';
import { type ServerFactsRow, selectServerFacts } from '../../db/sql/server-state.ts';
import { type SlicesRow, selectSliceSizes, selectSlices } from '../../db/sql/slices.ts';
import { LIMITS } from '../../domain/limits.ts';
import { seesKey } from '../../engine/fetch/visible-keys.ts';
import {
  createKeyLists,
  describedKeysLoader,
  type KeyMatcherRequest,
  keyExistsLoader,
  keyMatcher,
  labelledKeysLoader,
} from '../../engine/keys/key-loaders.ts';
import { checkFilter, type FilterToCheck } from '../../engine/keys/match-keys.ts';
import { coverageLoader, seenProbesLoader } from '../../engine/keys/visible-coverage.ts';
import { groupStepsLoader } from '../../engine/series/group-steps.ts';
import { KeySeriesLoader } from '../../engine/series/key-series-loader.ts';
import { manyLoader, oneLoader } from '../../engine/snapshot/batch.ts';
import type { ContextState, NodeReader } from '../../engine/snapshot/node-reader.ts';
import { keyAsker } from '../../engine/toppers/topper-answers.ts';
import { createAccessLoaders } from './access-loaders.ts';
import { createAlertLoaders } from './alert-loaders.ts';

export type { SinkRow } from '../../db/sql/alert-deliveries.ts';
export type { AlertRow, ChangeRow, EventCursor, EventRow } from '../../db/sql/alert-events.ts';
export { type ChangeCursor, NO_CHANGE } from '../../db/sql/alert-events.ts';
export type { PoolRow } from '../../db/sql/catalog.ts';
export type { ExporterSumsRow } from '../../db/sql/exporters.ts';
export type { SliceRow } from '../../db/sql/slices.ts';
export type { DescribedKey } from '../../engine/cache/text-cache.ts';
export type { KeyPage } from '../../engine/keys/key-loaders.ts';
export type {
  Catalog,
  CounterGroupRow,
  MeterRow,
  ProbeRow,
  ReadGroup,
} from '../../engine/plan/catalog.ts';

type SaidOfKey = {
  readonly groupId: number;
  readonly probe: string | null;
  /** In raw form; null: whether any key may be seen there. */
  readonly key: string | null;
};

/** Creates one DataLoader per relation, fresh for every request and node. */
export function createNodeLoaders(reader: NodeReader) {
  const { session } = reader;
  let serverFacts: Promise<ServerFactsRow> | undefined;
  const slicesByContext = oneLoader(
    reader,
    (ids: readonly number[]) => selectSlices(session, ids, reader.requestId),
    (id) => id,
    (row) => row.contextId,
  );
  const labelled = labelledKeysLoader(reader);
  const describedKeys = describedKeysLoader(reader);
  return {
    /** See NodeReader. */
    pause: () => reader.pause(),
    yieldToEventLoop: () => reader.yieldToEventLoop(),
    noteListed: (keys: number) => reader.onListed(keys),
    serverFacts: (): Promise<ServerFactsRow> => {
      serverFacts ??= selectServerFacts(session);
      return serverFacts;
    },
    /**
     * What the caller may see of a context: its groups, meters and probes, and the extent of its
     * data; and the name that it has on this node.
     */
    contextState: (contextId: number): Promise<Pick<ContextState, 'name' | 'catalog' | 'limit'>> =>
      reader.context(contextId),
    /** Whether the caller may see a part of a context only. */
    isLimited: (contextId: number): boolean => reader.limitOf(contextId) !== null,
    coverage: coverageLoader(reader),
    seenProbes: seenProbesLoader(reader),
    /** Whether the caller may see what is said of a key by readings of a probe; null: of all. */
    seesReading: async (contextId: number, { groupId, probe, key }: SaidOfKey) => {
      const { limit } = await reader.context(contextId);
      if (limit === null) return true;
      const seen =
        probe === null ? limit.keysWithTexts(groupId) : limit.keysOfProbe(groupId, probe);
      return key === null ? seen !== 'nothing' : seesKey(seen, key);
    },
    totalWindowByContext: oneLoader(
      reader,
      (ids: readonly number[]) => selectTotalWindows(session, ids),
      (id) => id,
      (row) => row.contextId,
    ),
    slicesByContext,
    /** Takes slices that another statement has read. */
    noteSlices: (row: SlicesRow): void => {
      slicesByContext.prime(row.contextId, row);
    },
    sliceSize: oneLoader(
      reader,
      (ids: readonly number[]) =>
        selectSliceSizes(session, ids, partitionSize(reader.arePagesDistributed)),
      (id) => id,
      (row) => row.sliceId,
    ),
    poolsByContext: manyLoader(
      reader,
      (ids: readonly number[]) => selectPools(session, ids),
      (row) => row.contextId,
    ),
    exportersByContext: exportersLoader(reader),
    askKeys: keyAsker(reader),
    keySeries: new KeySeriesLoader(reader),
    groupSteps: groupStepsLoader(reader),
    keyMatcher: (request: KeyMatcherRequest) => keyMatcher(reader, labelled, request),
    /** Errors: `malformedValue`, with the parameter's name, for a pattern that cannot be used. */
    checkPattern: async (pattern: string, name: string): Promise<void> => {
      const names = { match: name, exclude: name };
      await reader.memory.threadPool.instructionsOf({ match: pattern }, reader.caller, names);
    },
    checkFilter: (request: FilterToCheck) => checkFilter(reader, request),
    describedKeys,
    keyExists: keyExistsLoader(reader),
    keyLists: createKeyLists(reader, labelled, describedKeys),
    alerts: createAlertLoaders(reader),
    access: createAccessLoaders(reader),
  };
}

/** They change with each commit of a collector, whatever it brings: as of this moment. */
const exportersLoader = (reader: NodeReader) =>
  manyLoader(
    reader,
    (ids: readonly number[]) => selectExporters(reader.session, ids, LIMITS.listedExporters),
    (row) => row.contextId,
  );

export type NodeLoaders = ReturnType<typeof createNodeLoaders>;
