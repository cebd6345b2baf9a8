import { LIMITS } from '../../domain/limits.ts';
import { type Counting, distanceOf, Sequence } from './sequence.ts';

/** A sequence, and when its numbers arrived. */
type Run = {
  readonly sequence: Sequence;
  /** The sequence that ended where this one began, if everything between them was lost. */
  follows: Run | null;
  /** The exporter's line number and number of `settle` calls when a number of it last arrived. */
  heardAtLine: number;
  heardAtCheck: number;
};

/**
 * The losses of one exporter. It may number several sequences side by side, for example one for
 * each of its line cards, and lines do not always say which is which. It starts over when it is
 * restarted. So a number that is far from all sequences begins another one, and nothing counts as
 * lost by that.
 *
 * But many packets may have been lost in between instead: then the previous sequence falls silent.
 * A number near 0 comes from an exporter that was restarted.
 */
export class ExporterLosses {
  /** The sequences, the most recently begun first. */
  #runs: Run[] = [];
  /** Losses of sequences that are over, and of long gaps. */
  #lost = 0;
  #lines = 0;
  #checks = 0;
  readonly #counting: Counting;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  get lost(): number {
    return this.#runs.reduce((sum, { sequence }) => sum + sequence.lost, this.#lost);
  }

  /** Counts a line: `records` flow records of the packet with this number. */
  take(number: number, records: number, near: number): void {
    this.#lines += 1;
    const run =
      this.#runs.find(({ sequence }) => sequence.hasNear(number, near)) ??
      this.#begin(number, near);
    run.heardAtLine = this.#lines;
    run.heardAtCheck = this.#checks;
    run.sequence.take(number, records);
  }

  /** Settles what has had time to arrive since the previous call. */
  settle(): void {
    this.#checks += 1;
    for (const run of [...this.#runs]) {
      this.#judgeGap(run, LIMITS.lossSilentChecks);
      if (!run.sequence.settle()) this.#forget(run);
    }
  }

  /** Settles everything: nothing more arrives. */
  end(): void {
    for (const run of [...this.#runs]) {
      this.#judgeGap(run, 0);
      run.sequence.end();
    }
  }

  #begin(number: number, near: number): Run {
    const run: Run = {
      sequence: new Sequence(number, this.#counting),
      follows: number < near ? null : this.#before(number),
      heardAtLine: this.#lines,
      heardAtCheck: this.#checks,
    };
    this.#runs.unshift(run);
    if (this.#runs.length > LIMITS.lossSequences) {
      const silent = this.#runs.reduce((a, b) => (b.heardAtLine < a.heardAtLine ? b : a));
      silent.sequence.end();
      this.#forget(silent);
    }
    return run;
  }

  /** Returns the sequence that a number may continue, after a gap that is not too long for that. */
  #before(number: number): Run | null {
    const gaps = this.#runs
      .map((run) => ({ run, gap: distanceOf(run.sequence.nextNumber, number) }))
      .filter(({ gap }) => gap > 0 && gap <= LIMITS.lossLongestGap)
      .sort((a, b) => a.gap - b.gap);
    return gaps[0]?.run ?? null;
  }

  /**
   * Counts everything between two sequences as lost, if the earlier one has been silent for long.
   */
  #judgeGap(run: Run, silentChecks: number): void {
    const { follows, sequence } = run;
    if (follows === null) return;
    const isSilent =
      this.#lines - follows.heardAtLine >= LIMITS.lossSilentLines &&
      this.#checks - follows.heardAtCheck >= silentChecks;
    if (!isSilent || !this.#runs.includes(follows)) return;
    run.follows = null;
    follows.sequence.end();
    this.#lost += Math.max(0, distanceOf(follows.sequence.nextNumber, sequence.firstNumber));
    this.#forget(follows);
  }

  #forget(run: Run): void {
    this.#lost += run.sequence.lost;
    this.#runs = this.#runs.filter((other) => other !== run);
  }
}
