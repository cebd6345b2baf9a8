import type { RunRow } from '../../db/write/packed-runs.ts';
import type { ShardBlock } from '../../topk/packed-run.ts';
import { checkPlaces, checkRun } from './check-run.ts';

export type SectionOptions = {
  readonly level: number;
  readonly slots: number;
  /** Blocks that start elsewhere are not looked at. */
  readonly range: { readonly from: number; readonly to: number };
  /** Told of each run that is not right, once. */
  readonly onFault: (run: RunRow, reason: string) => void;
};

/**
 * The stored runs of one probe and shard. Runs stay packed until one of their blocks is asked for,
 * and only the last of them is kept unpacked: blocks are asked for in order.
 */
export class StoredSection {
  readonly #options: SectionOptions;
  readonly #runOf = new Map<number, RunRow>();
  readonly #faulty = new Set<RunRow>();
  /** Where nobody can say which blocks there are. */
  readonly #unknown: RunRow[] = [];
  #unpacked: { run: RunRow; blocks: ReadonlyMap<number, ShardBlock> } | null = null;

  constructor(runs: readonly RunRow[], options: SectionOptions) {
    this.#options = options;
    for (const run of runs) this.#index(run);
  }

  #index(run: RunRow): void {
    const { level, range } = this.#options;
    try {
      for (const { start } of checkPlaces(run, level)) {
        if (start < range.from || start >= range.to) continue;
        if (this.#runOf.has(start)) throw new Error('it repeats what another row has');
        this.#runOf.set(start, run);
      }
    } catch (error) {
      this.#unknown.push(run);
      this.#tell(run, error);
    }
  }

  #tell(run: RunRow, error: unknown): void {
    this.#faulty.add(run);
    this.#options.onFault(run, error instanceof Error ? error.message : String(error));
  }

  /** The block that starts there, which is then asked for no more; 'faulty' when it was told of. */
  take(start: number): ShardBlock | 'faulty' | null {
    const run = this.#runOf.get(start);
    this.#runOf.delete(start);
    if (!run) return this.#unknown.some((each) => isWithin(each, start)) ? 'faulty' : null;
    return this.#unpack(run)?.get(start) ?? 'faulty';
  }

  /** The blocks that nobody has taken. */
  *rest(): Generator<ShardBlock> {
    for (const start of [...this.#runOf.keys()]) {
      const block = this.take(start);
      if (block !== null && block !== 'faulty') yield block;
    }
  }

  #unpack(run: RunRow): ReadonlyMap<number, ShardBlock> | null {
    if (this.#unpacked?.run === run) return this.#unpacked.blocks;
    if (this.#faulty.has(run)) return null;
    try {
      const { level, slots } = this.#options;
      const unpacked = checkRun(run, level, slots);
      const blocks = new Map(unpacked.map((block) => [block.start, block]));
      this.#unpacked = { run, blocks };
      return blocks;
    } catch (error) {
      this.#tell(run, error);
      return null;
    }
  }
}

const isWithin = ({ start, last }: RunRow, at: number): boolean => at >= start && at <= last;
