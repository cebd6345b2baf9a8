import type { OldSamples } from '../../db/write/convert/old-samples.ts';
import type { ConversionLimits } from './conversion-limits.ts';
import type { ConvertedGroup } from './converted-group.ts';
import { PairWriter, type SliceWork, type WrittenSegments } from './pair-writer.ts';

/** The gathered readings of a slice, by group and probe. */
export class SlicePairs {
  readonly #work: SliceWork;
  readonly #groups: ReadonlyMap<number, ConvertedGroup>;
  readonly #pairs = new Map<number, Map<number, PairWriter>>();

  constructor(work: SliceWork, groups: ReadonlyMap<number, ConvertedGroup>) {
    this.#work = work;
    this.#groups = groups;
  }

  /** Adds all samples, and returns how many there were. */
  addAll(samples: OldSamples): number {
    let count = 0;
    let groupId = 0;
    let probeId = 0;
    let pair: PairWriter | null = null;
    while (samples.next()) {
      // Usually the pair of the previous row.
      if (pair === null || samples.groupId !== groupId || samples.probeId !== probeId) {
        ({ groupId, probeId } = samples);
        pair = this.#pairOf(groupId, probeId);
      }
      pair.add(samples);
      count += 1;
    }
    return count;
  }

  /** Writes the largest pairs until the rest is within the limits. */
  async keepWithin({ rows, bytes }: ConversionLimits): Promise<void> {
    for (;;) {
      const all = [...this.#each()];
      const gathered = all.reduce((sum, { rowCount }) => sum + rowCount, 0);
      const size = all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const largest = all.reduce<PairWriter | null>(
        (so, each) => (so === null || each.rowCount > so.rowCount ? each : so),
        null,
      );
      if ((gathered <= rows && size <= bytes) || !largest || largest.rowCount === 0) return;
      await largest.writePart();
    }
  }

  async finish(): Promise<WrittenSegments> {
    const written: WrittenSegments[] = [];
    for (const pair of this.#each()) written.push(await pair.finish());
    return {
      live: written.flatMap(({ live }) => live),
      dead: written.flatMap(({ dead }) => dead),
    };
  }

  *#each(): Generator<PairWriter> {
    for (const ofGroup of this.#pairs.values()) yield* ofGroup.values();
  }

  #pairOf(groupId: number, probeId: number): PairWriter {
    const ofGroup = this.#pairs.get(groupId) ?? new Map<number, PairWriter>();
    this.#pairs.set(groupId, ofGroup);
    const known = ofGroup.get(probeId);
    if (known) return known;
    const group = this.#groups.get(groupId);
    if (!group) {
      throw new Error(
        `samples must be of a group of their context, but slice ${this.#work.sliceId} has some of ` +
          `group ${groupId}, which is not there: restore the database from a backup`,
      );
    }
    const pair = new PairWriter(this.#work, group, probeId);
    ofGroup.set(probeId, pair);
    return pair;
  }
}
