import type { Deadline } from '../../db/session/read-session.ts';
import { rawNetwork } from '../../domain/keys/address-forms.ts';
import { runWhole } from '../../domain/sliced.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { combine } from '../../domain/toppers/topper-arithmetic.ts';
import { fullKeySet, hasKey, type KeySet } from '../../segments/filter/key-set.ts';
import { listedFinder } from '../../segments/filter/listed-keys.ts';
import { networkFinder } from '../../segments/filter/network-keys.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import { ownMemory } from '../../segments/keys/key-list-builder.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import type { KnownBlock } from '../cache/segment-memory.ts';
import { foldRows } from '../kernel/aggregate/fold-rows.ts';
import { ordinalsWithin } from '../keys/keys-within.ts';
import type { KeysWithin } from '../plan/key-questions.ts';
import { inPauses } from '../snapshot/in-pauses.ts';
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
  live: readonly StoredSegment[],
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
    const total = foldRows(block.column, rows, read.fold);
    if (total === null) continue;
    const known = totals.get(step) ?? { total: [], others: [] };
    totals.set(step, known);
    known.total.push(total);
    const unlisted = rows.filter((row) => !hasKey(isListed, block.ids[row] as number));
    const others = foldRows(block.column, unlisted, read.fold);
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
      const all = combine(total, read.fold);
      return all === null ? [] : [{ at, total: all, others: combine(others, read.fold) }];
    });
