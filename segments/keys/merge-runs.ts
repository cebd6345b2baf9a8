import type { Sliced } from '../../domain/sliced.ts';
import { type Allocate, allocateWords, ownMemory } from './key-list-builder.ts';

/** Two ascending runs to merge. */
export type RunPair<Run> = {
  readonly left: Run;
  readonly right: Run;
  /** To be filled: for each entry of `left`, its position in the merged run. */
  readonly leftPositions: Uint32Array;
  readonly rightPositions: Uint32Array;
};

/** All runs merged, and for each input run the positions of its entries in the result. */
export type MergedRuns<Run> = { readonly run: Run; readonly maps: readonly Uint32Array[] };

/** A run, and the input runs that it contains. */
type Node<Run> = { readonly run: Run; readonly members: readonly number[] };

/**
 * Merges runs two at a time, the shortest first, so that entries are moved as rarely as possible
 * (as in Huffman's code). Each merge updates the map of an input run: from positions in one run to
 * those in the next.
 */
export function* mergeRuns<Run extends { readonly length: number }>(
  runs: readonly Run[],
  merge: (pair: RunPair<Run>) => Run,
  allocate: Allocate,
): Sliced<MergedRuns<Run>> {
  const maps = runs.map(({ length }) => allocateWords(allocate, length));
  const positionsFor = ({ run, members }: Node<Run>): Uint32Array => {
    const [only, another] = members;
    const isGiven = only !== undefined && another === undefined;
    return isGiven ? (maps[only] as Uint32Array) : allocateWords(ownMemory, run.length);
  };
  const followUp = ({ members }: Node<Run>, positions: Uint32Array): void => {
    if (members.length === 1) return;
    for (const member of members) applyPositions(maps[member] as Uint32Array, positions);
  };
  const [first] = maps;
  if (maps.length === 1 && first !== undefined) fillPositions(first);
  const nodes: Node<Run>[] = runs.map((run, i) => ({ run, members: [i] }));
  for (;;) {
    nodes.sort((a, b) => b.run.length - a.run.length);
    const left = nodes.pop();
    const right = nodes.pop();
    if (left === undefined) throw new RangeError('there must be a run to merge');
    if (right === undefined) return { run: left.run, maps };
    const leftPositions = positionsFor(left);
    const rightPositions = positionsFor(right);
    yield;
    const run = merge({ left: left.run, right: right.run, leftPositions, rightPositions });
    followUp(left, leftPositions);
    followUp(right, rightPositions);
    nodes.push({ run, members: [...left.members, ...right.members] });
  }
}

/** Fills the map of entries that keep their positions. */
export function fillPositions(map: Uint32Array): void {
  for (let i = 0; i < map.length; i += 1) map[i] = i;
}

function applyPositions(map: Uint32Array, positions: Uint32Array): void {
  for (let i = 0; i < map.length; i += 1) map[i] = positions[map[i] as number] as number;
}
