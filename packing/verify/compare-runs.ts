import type { RunRow } from '../../db/write/packed-runs.ts';
import type { ExpectedRow } from '../../db/write/select-expected.ts';
import type { RunSection } from '../../db/write/select-run-sections.ts';
import type { StoredGroup } from '../pack-groups.ts';
import { compareBlock, countReadings, type ExpectedBlock, isEmptyBlock } from './compare-block.ts';
import type { Finding } from './differences.ts';
import { StoredSection } from './stored-section.ts';

/** Stored runs beside what the samples say, both in order of probe, shard and start. */
export type RunComparison = {
  readonly group: StoredGroup;
  readonly level: number;
  readonly range: { readonly from: number; readonly to: number };
  readonly expected: AsyncIterable<ExpectedRow[]>;
  readonly sections: readonly RunSection[];
  readonly loadRuns: (section: RunSection) => Promise<RunRow[]>;
  /** Which time and key a block's row is of. */
  readonly locate: (block: { start: number; shard: number }, id: number) => Located;
  /** What a block as a whole is called, and from when or of which key it is. */
  readonly locateBlock: (block: { start: number; shard: number }) => Located;
  readonly report: (probeId: number, finding: Finding) => void;
  /** Runs that were reported: one may have blocks of two ranges. */
  readonly reported: Set<string>;
};

type Located = Pick<Finding, 'start' | 'key'>;

/** Reports every difference; returns how many readings were compared. One section is in memory. */
export async function compareRuns(comparison: RunComparison): Promise<number> {
  const left = new Map(comparison.sections.map((section) => [nameOf(section), section]));
  let open: { section: RunSection; stored: StoredSection } | null = null;
  let readings = 0;
  const finish = () => {
    if (open) reportRest(comparison, open.section, open.stored);
  };
  for await (const block of blocksOf(comparison.expected)) {
    if (!open || nameOf(open.section) !== nameOf(block)) {
      finish();
      const { probeId, shard } = block;
      const isStored = left.delete(nameOf(block));
      open = { section: { probeId, shard }, stored: await load(comparison, block, isStored) };
    }
    readings += compareOne(comparison, block, open.stored);
  }
  finish();
  for (const section of left.values()) {
    reportRest(comparison, section, await load(comparison, section, true));
  }
  return readings;
}

const nameOf = ({ probeId, shard }: RunSection): string => `${probeId} ${shard}`;

async function load(
  { level, range, group, loadRuns, locateBlock, report, reported }: RunComparison,
  { probeId, shard }: RunSection,
  isStored: boolean,
): Promise<StoredSection> {
  const runs = isStored ? await loadRuns({ probeId, shard }) : [];
  const slots = group.folds.length;
  return new StoredSection(runs, {
    ...{ level, slots, range },
    onFault: ({ start }, reason) => {
      const run = `${probeId} ${shard} ${start}`;
      if (reported.has(run)) return;
      reported.add(run);
      const problem = `the row that begins there in shard ${shard} is damaged: ${reason}`;
      report(probeId, { ...locateBlock({ start, shard }), problem });
    },
  });
}

/** Rows of the same block together; one block is in memory at a time. */
async function* blocksOf(pages: AsyncIterable<ExpectedRow[]>): AsyncGenerator<ExpectedBlock> {
  let open: OpenBlock | null = null;
  for await (const page of pages) {
    for (const row of page) {
      if (open && !isOf(open, row)) {
        yield open;
        open = null;
      }
      const { probeId, shard, start, id, values, counts } = row;
      open ??= { probeId, shard, start, rows: [] };
      open.rows.push({ id, values: values.split(','), counts: counts.split(',') });
    }
  }
  if (open) yield open;
}

type OpenBlock = ExpectedBlock & { readonly rows: ExpectedBlock['rows'][number][] };

const isOf = (block: OpenBlock, { probeId, shard, start }: ExpectedRow): boolean =>
  block.start === start && block.shard === shard && block.probeId === probeId;

/** Returns how many readings the samples have. */
function compareOne(comparison: RunComparison, block: ExpectedBlock, from: StoredSection): number {
  const { group, locate, locateBlock, report } = comparison;
  const { folds, meterIds } = group;
  const readings = countReadings(block, folds);
  const stored = from.take(block.start);
  if (stored === 'faulty') return readings;
  if (stored === null) {
    // A block of nothing need not be stored.
    if (readings > 0) {
      const problem = `nothing is stored, the samples have ${readings} readings`;
      report(block.probeId, { ...locateBlock(block), problem });
    }
    return readings;
  }
  for (const { id, slot, stored: is, expected } of compareBlock(stored, block, folds)) {
    const problem = `${is ?? 'nothing'} is stored, the samples say ${expected ?? 'nothing'}`;
    report(block.probeId, { ...locate(block, id), meter: meterIds[slot], problem });
  }
  return readings;
}

function reportRest(
  { group, locateBlock, report }: RunComparison,
  { probeId, shard }: RunSection,
  stored: StoredSection,
): void {
  for (const block of stored.rest()) {
    if (isEmptyBlock(block, group.folds)) continue;
    const problem = 'readings are stored, the samples have none';
    report(probeId, { ...locateBlock({ start: block.start, shard }), problem });
  }
}
