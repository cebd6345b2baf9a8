import { LIMITS } from '../../domain/limits.ts';
import { type Counting, distanceOf, Sequence } from './sequence.ts';

/** A sequence, and when numbers of it came. */
type Run = {
  readonly sequence: Sequence;
  /** The one that ended where this one began, if all between them was lost. */
  follows: Run | null;
  /** At which line of the exporter, and after which look, a number of it last came. */
  heardAtLine: number;
  heardAtLook: number;
};

/**
 * What was lost of one exporter. It may number several sequences side by side, as each of its line
 * cards does, and lines do not always tell which is which; and it begins anew when it is restarted.
 * So a number that is far from all sequences begins another one, and nothing is lost by that.
 *
 * It may as well be that many packets were lost in between: then the sequence before it falls
 * silent. A number near 0 is that of an exporter that was restarted.
 */
export class ExporterLosses {
  /** Those that began last come first. */
  #runs: Run[] = [];
  /** Of sequences that are over, and of long gaps. */
  #lost = 0;
  #lines = 0;
  #looks = 0;
  readonly #counting: Counting;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  get lost(): number {
    return this.#runs.reduce((sum, { sequence }) => sum + sequence.lost, this.#lost);
  }

  /** Counts what a line stands for: so many records of the packet with this number. */
  take(number: number, records: number, near: number): void {
    this.#lines += 1;
    const run =
      this.#runs.find(({ sequence }) => sequence.hasNear(number, near)) ??
      this.#begin(number, near);
    run.heardAtLine = this.#lines;
    run.heardAtLook = this.#looks;
    run.sequence.take(number, records);
  }

  /** Judges what had its time to arrive since the call before. */
  settle(): void {
    this.#looks += 1;
    for (const run of [...this.#runs]) {
      this.#judgeGap(run, LIMITS.lossSilentLooks);
      if (!run.sequence.settle()) this.#forget(run);
    }
  }

  /** Judges all: nothing more arrives. */
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
      heardAtLook: this.#looks,
    };
    this.#runs.unshift(run);
    if (this.#runs.length > LIMITS.lossSequences) {
      const silent = this.#runs.reduce((a, b) => (b.heardAtLine < a.heardAtLine ? b : a));
      silent.sequence.end();
      this.#forget(silent);
    }
    return run;
  }

  /** The sequence that a number may go on with, after a gap that is not too long for that. */
  #before(number: number): Run | null {
    const gaps = this.#runs
      .map((run) => ({ run, gap: distanceOf(run.sequence.nextNumber, number) }))
      .filter(({ gap }) => gap > 0 && gap <= LIMITS.lossLongestGap)
      .sort((a, b) => a.gap - b.gap);
    return gaps[0]?.run ?? null;
  }

  /** All between two sequences was lost where the earlier one has been silent for long. */
  #judgeGap(run: Run, silentLooks: number): void {
    const { follows, sequence } = run;
    if (follows === null) return;
    const isSilent =
      this.#lines - follows.heardAtLine >= LIMITS.lossSilentLines &&
      this.#looks - follows.heardAtLook >= silentLooks;
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
