import { type CoarseBlock, selectCoarseBlocks } from '../../db/write/coarse-blocks.ts';
import { selectRuns } from '../../db/write/packed-runs.ts';
import { type SliceCoverageRow, selectCoverage } from '../../db/write/select-coverage.ts';
import { expectedBlocks } from '../../db/write/select-expected.ts';
import { selectRunSections } from '../../db/write/select-run-sections.ts';
import { resolutionsOf } from '../../topk/resolutions.ts';
import type { StoredGroup } from '../pack-groups.ts';
import { compareRuns } from './compare-runs.ts';
import type { Verification } from './verify-slice.ts';

/** Coarse blocks are of all slices together. */
const ALL_SLICES = 0;

/** Compares the coarse blocks that are listed; returns how many readings were compared. */
export async function verifyCoarseBlocks(
  verification: Verification,
  contextId: number,
  groups: ReadonlyMap<number, StoredGroup>,
): Promise<number> {
  const { connection, signal } = verification;
  const coverage = await selectCoverage(connection, contextId);
  let readings = 0;
  for (const block of await selectCoarseBlocks(connection, contextId)) {
    signal?.throwIfAborted();
    const group = groups.get(block.groupId);
    if (!group) continue;
    const problem = wrongListing(group, block, coverage);
    if (problem === null) readings += await verifyBlock(verification, group, block);
    else report(verification, group, block)(block.probeId, { start: block.start, problem });
  }
  return readings;
}

/** What is wrong with the listing itself: a block of other slices is not used. */
function wrongListing(
  group: StoredGroup,
  { groupId, probeId, level, start, sliceIds }: CoarseBlock,
  coverage: readonly SliceCoverageRow[],
): string | null {
  const { coarse } = resolutionsOf(group.bucketSeconds);
  if (!coarse.includes(level) || start % level !== 0) {
    return 'a block is listed of a length or start that the group does not have';
  }
  const inside = coverage.filter(
    (row) =>
      row.groupId === groupId &&
      row.probeId === probeId &&
      row.sliceStart < start + level &&
      row.sliceEnd > start,
  );
  const there = inside.map(({ sliceId }) => sliceId).sort((a, b) => a - b);
  const listed = [...sliceIds].sort((a, b) => a - b);
  if (there.join() !== listed.join()) {
    return `it is listed as of the slices ${listed.join(', ')}, available are ${there.join(', ') || 'none'}`;
  }
  return null;
}

async function verifyBlock(
  verification: Verification,
  group: StoredGroup,
  block: CoarseBlock,
): Promise<number> {
  const { connection } = verification;
  const { groupId, probeId, level, start, sliceIds } = block;
  const scope = { table: 'topper_blocks', groupId, level, sliceId: ALL_SLICES } as const;
  const range = { from: start, to: start + level };
  const sections = await selectRunSections(connection, scope, { least: start, ...range });
  return compareRuns({
    ...{ group, level, range, reported: new Set() },
    expected: expectedBlocks(
      connection,
      { groupId, probeId, sliceIds, ...range, folds: group.folds },
      level,
    ),
    sections: sections.filter((section) => section.probeId === probeId),
    loadRuns: (section) =>
      selectRuns(connection, 'topper_blocks', { ...scope, ...section }, { from: start, to: start }),
    locate: ({ start: at, shard }, keyId) => ({ start: at, key: { shard, keyId } }),
    locateBlock: ({ start: at }) => ({ start: at }),
    report: report(verification, group, block),
  });
}

const report =
  ({ probeName, report: tell }: Verification, group: StoredGroup, { level }: CoarseBlock) =>
  (probeId: number, finding: Parameters<typeof tell>[1]): void =>
    tell({ group, table: 'coarse_blocks', slice: null, probe: probeName(probeId), level }, finding);
