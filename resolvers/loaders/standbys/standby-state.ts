import type { VersionedRow } from '../../../db/queries/select-versions.ts';
import type { PassReason } from '../../../db/session/snapshot-check.ts';
import { faultOf, type StandbyRow } from '../../../db/standby-check.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** What a look at a standby has found. */
export type Looked = {
  /** null: it did not answer. */
  readonly row: StandbyRow | null;
  readonly nowMs: number;
};

/** What to tell the operator of it. */
export type Notice = 'passed over' | 'used again' | null;

/**
 * Whether a standby is fit to answer, as far as is known: a request finds that it is not, and a
 * look in the background that it is again. It may be unfit for all contexts, or only for those in
 * which it is behind. Times are of `performance.now()`.
 */
export class StandbyState {
  /** null: it is fit for all contexts. */
  #since: number | null = null;
  #reason: PassReason | null = null;
  #isOut = false;
  /** Contexts, and what must be seen of each. */
  readonly #behind = new Map<number, VersionedRow>();
  #pauseMs: number = LIMITS.standbyLookMs;
  #lookAt = 0;
  #isLooking = false;
  #isTold = false;

  get reason(): PassReason | null {
    return this.#reason;
  }

  isFitFor(contextIds: readonly number[]): boolean {
    return !this.#isOut && !contextIds.some((id) => this.#behind.has(id));
  }

  /** A request that expected these versions of it had to begin anew. */
  passOver(reason: PassReason, expected: readonly VersionedRow[], nowMs: number): void {
    if (this.#since === null) {
      this.#since = nowMs;
      this.#lookLater(nowMs);
    }
    this.#reason = reason;
    if (reason !== 'behind' && reason !== 'ahead') this.#isOut = true;
    if (reason === 'behind' || reason === 'ahead' || reason === 'foreign') {
      for (const row of expected) this.#behind.set(row.contextId, row);
    }
  }

  /** The contexts a look is due for; null: none is. The caller must look, and call `looked`. */
  beginLook(nowMs: number): readonly number[] | null {
    if (this.#since === null || this.#isLooking || nowMs < this.#lookAt) return null;
    this.#isLooking = true;
    return [...this.#behind.keys()];
  }

  looked({ row, nowMs }: Looked): Notice {
    this.#isLooking = false;
    if (row?.isStandby) {
      this.#isOut = false;
      for (const want of this.#behind.values()) {
        if (hasReached(row, want)) this.#behind.delete(want.contextId);
      }
    }
    if (this.isFitFor([...this.#behind.keys()])) return this.#isFitAgain();
    this.#lookLater(nowMs);
    const isLong = this.#since !== null && nowMs - this.#since >= LIMITS.standbyWarnMs;
    if (!isLong || this.#isTold) return null;
    this.#isTold = true;
    return 'passed over';
  }

  /** A request got its answer. */
  answered(): void {
    if (this.#since === null) this.#pauseMs = LIMITS.standbyLookMs;
  }

  #isFitAgain(): Notice {
    const wasTold = this.#isTold;
    this.#since = null;
    this.#reason = null;
    this.#isTold = false;
    return wasTold ? 'used again' : null;
  }

  #lookLater(nowMs: number): void {
    this.#lookAt = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LIMITS.standbyLongestLookMs);
  }
}

/** A standby with older segments would miss pages of newer ones, be its data the same. */
function hasReached(row: StandbyRow, want: VersionedRow): boolean {
  const fault = faultOf(row, [want]);
  if (fault !== null && fault !== 'ahead') return false;
  return row.contexts.some(
    ({ contextId, layout }) => contextId === want.contextId && layout >= want.layout,
  );
}
