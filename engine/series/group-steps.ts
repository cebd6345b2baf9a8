import DataLoader from 'dataloader';
import type { Deadline } from '../../db/session/read-session.ts';
import { rawNetwork } from '../../domain/keys/address-forms.ts';
import { runWhole } from '../../domain/sliced.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { combine } from '../../domain/toppers/topper-arithmetic.ts';
import { approximate, type Lanes, laneValue, NARROW_BOUND } from '../../segments/codes/lanes.ts';
import { fullKeySet, hasKey, type KeySet } from '../../segments/filter/key-set.ts';
import { listedFinder } from '../../segments/filter/listed-keys.ts';
import { networkFinder } from '../../segments/filter/network-keys.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { ownMemory } from '../../segments/keys/key-list-builder.ts';
import type { KnownBlock } from '../cache/segment-cache.ts';
import type { BlockColumn } from '../kernel/aggregate/aggregate-blocks.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import type { KeysWithin } from '../plan/key-questions.ts';
import type { MeterScan } from '../plan/meter-scan.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import { byDeadline } from '../snapshot/batch.ts';
import { segmentsOfContexts } from '../snapshot/context-segments.ts';
import { inPauses } from '../snapshot/event-loop-scheduler.ts';
import type { NodeReader } from '../snapshot/node-reader.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';
import { readStepBlocks, type SegmentSteps, type StepRead } from './step-blocks.ts';

/** Asks for total and others of a read by step. */
type GroupStepsRead = StepRead & {
  /** The listed keys or networks in raw form; the others are all keys except these. */
  readonly listed: readonly string[];
  /** null: every key of the group counts. */
  readonly within: KeysWithin | null;
};

/** others: null if no unlisted key has a reading in the step. */
export type GroupStep = { at: EpochSeconds; total: Exact; others: Exact | null };

/** Returns the steps with readings of each read, in ascending order. */
export async function readGroupSteps(
  reader: SegmentReader,
  live: readonly ScopedSegment[],
  reads: readonly GroupStepsRead[],
  deadline: Deadline | null,
): Promise<GroupStep[][]> {
  const { keys, steps } = await readStepBlocks(reader, live, reads, deadline);
  const answers: GroupStep[][] = [];
  for (const [i, read] of reads.entries()) {
    const totals = new Map<number, { total: Exact[]; others: Exact[] }>();
    for (const part of steps[i] ?? []) {
      const segmentKeys = keys.of(part.segment);
      const { within, group } = read;
      const coded = { keys: segmentKeys, codec: group.codec };
      const counted = within && (await inPauses(reader, ordinalsWithin(within, coded)));
      addSegment(totals, read, part, { keys: segmentKeys, counted: counted && new Set(counted) });
      await reader.pause();
    }
    answers.push(toSteps(totals, read));
  }
  return answers;
}

type Totals = Map<number, { readonly total: Exact[]; readonly others: Exact[] }>;

/** The keys of a segment, and the ordinals of those that count; null: all. */
type CountedKeys = { readonly keys: KeyList; readonly counted: ReadonlySet<number> | null };

function addSegment(
  totals: Totals,
  steps: GroupStepsRead,
  { blocks }: SegmentSteps,
  { keys, counted }: CountedKeys,
): void {
  const { read } = steps;
  const isListed = listedKeys(steps, keys);
  for (const { step, block } of blocks) {
    if (block.column === null) continue;
    const rows = rowsOf(block, counted);
    const total = combineRows(block.column, rows, read.aggregate);
    if (total === null) continue;
    const known = totals.get(step) ?? { total: [], others: [] };
    totals.set(step, known);
    known.total.push(total);
    const unlisted = rows.filter((row) => !hasKey(isListed, block.ids[row] as number));
    const others = combineRows(block.column, unlisted, read.aggregate);
    if (others !== null) known.others.push(others);
  }
}

/** Returns the listed keys, or the keys in the listed networks. */
function listedKeys({ read, group, listed }: GroupStepsRead, keys: KeyList): KeySet {
  const { codec } = group;
  const find = read.prefix
    ? networkFinder(
        codec,
        listed.flatMap((key) => rawNetwork(key) ?? []),
      )
    : listedFinder(codec, listed);
  return runWhole(find(keys, fullKeySet(keys.count, ownMemory)));
}

/** Returns the rows of the keys that count. */
function rowsOf({ ids }: KnownBlock, counted: ReadonlySet<number> | null): number[] {
  const rows: number[] = [];
  for (let row = 0; row < ids.length; row += 1) {
    if (counted === null || counted.has(ids[row] as number)) rows.push(row);
  }
  return rows;
}

const toSteps = (totals: Totals, { read }: GroupStepsRead): GroupStep[] =>
  [...totals]
    .sort(([a], [b]) => a - b)
    .flatMap(([at, { total, others }]) => {
      const all = combine(total, read.aggregate);
      return all === null ? [] : [{ at, total: all, others: combine(others, read.aggregate) }];
    });

/** Asks for total and others of a read by step; `within` null: every key of the group counts. */
type GroupStepsRequest = {
  readonly contextId: number;
  readonly read: MeterScan;
  readonly stepSeconds: number;
  /** Keys or networks in raw form. */
  readonly listed: readonly string[];
  readonly within: KeysWithin | null;
  readonly deadline: Deadline | null;
};

/** Each topper has its own listed keys, so requests share no results. */
export const groupStepsLoader = (reader: NodeReader): DataLoader<GroupStepsRequest, GroupStep[]> =>
  new DataLoader(
    (requests) =>
      byDeadline(requests, async (batch, deadline) => {
        for (;;) {
          const { states, segments, isOneSnapshot } = await segmentsOfContexts(reader, batch);
          const reads = batch.map(({ read, stepSeconds, listed, within }, i) => {
            const group = states[i]?.catalog.readGroup(read.groupId);
            if (!group) throw new Error('a context was not read');
            return { group, read, stepSeconds, listed, within };
          });
          const answers = await readGroupSteps(reader.segments, segments, reads, deadline);
          if (isOneSnapshot()) return answers;
        }
      }),
    { batchScheduleFn: reader.batchScheduleFn },
  );

/** Combines some rows of a column by the meter's rule; null if none of them has a reading. */
function combineRows(
  column: BlockColumn,
  rows: Iterable<number>,
  aggregate: Aggregate,
): Exact | null {
  const there: number[] = [];
  for (const row of rows) if (!Number.isNaN(column.values.low[row])) there.push(row);
  if (there.length === 0) return null;
  if (aggregate === 'max' || aggregate === 'min') {
    return { sum: extremeOf(column.values, there, aggregate), count: 1n };
  }
  const { values, counts, bound, countBound } = column;
  const sum = sumOf(values, there, bound);
  if (aggregate !== 'mean') return { sum, count: 1n };
  const count = counts === null ? BigInt(there.length) : sumOf(counts, there, countBound);
  return { sum, count };
}

/** bound: an upper bound of the sum of the magnitudes of all rows. */
function sumOf(lanes: Lanes, rows: readonly number[], bound: number): bigint {
  if (lanes.high === null && bound < NARROW_BOUND) {
    let sum = 0;
    for (const row of rows) sum += lanes.low[row] as number;
    return BigInt(sum);
  }
  let sum = 0n;
  for (const row of rows) sum += laneValue(lanes, row);
  return sum;
}

function extremeOf(lanes: Lanes, rows: readonly number[], aggregate: 'max' | 'min'): bigint {
  const sign = aggregate === 'max' ? 1 : -1;
  let best = rows[0] as number;
  for (const row of rows) if (sign * compareRows(lanes, row, best) > 0) best = row;
  return laneValue(lanes, best);
}

/** Compares doubles first. Close values may have the same double; they are compared exactly. */
function compareRows(lanes: Lanes, a: number, b: number): number {
  const difference = approximate(lanes, a) - approximate(lanes, b);
  if (difference !== 0 || lanes.high === null) return difference;
  return (
    (lanes.high[a] as number) - (lanes.high[b] as number) ||
    (lanes.low[a] as number) - (lanes.low[b] as number)
  );
}
