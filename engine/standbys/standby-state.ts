import type { RejectionReason } from '../../db/session/snapshot-check.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { faultOf, type StandbyRow } from '../../db/standby-check.ts';
import { LIMITS } from '../../domain/limits.ts';

/** The result of checking a standby. */
type Looked = {
  /** null: it did not answer. */
  readonly row: StandbyRow | null;
  readonly nowMs: number;
};

/** What to report to the operator. */
type Notice = 'passed over' | 'used again' | null;

/**
 * Tracks whether a standby is fit to answer. A request finds that it is not; a check in the
 * background finds that it is again. A standby may be unfit for all contexts, or only for those in
 * which it is behind. Times are from `performance.now()`.
 */
export class StandbyState {
  /** When it became unfit; null: it is fit for all contexts. */
  #since: number | null = null;
  #reason: RejectionReason | null = null;
  #isOut = false;
  /** By context: the versions that the standby has to reach. */
  readonly #behind = new Map<number, VersionedRow>();
  #pauseMs: number = LIMITS.standbyCheckMs;
  #lookAt = 0;
  #isLooking = false;
  #isReported = false;

  get reason(): RejectionReason | null {
    return this.#reason;
  }

  isFitFor(contextIds: readonly number[]): boolean {
    return !this.#isOut && !contextIds.some((id) => this.#behind.has(id));
  }

  /**
   * Notes the versions that a request expects now. Those of a history that the primary has lost in
   * a failover are never reached.
   */
  expect(expected: readonly VersionedRow[]): void {
    const current = new Map(expected.map((row) => [row.contextId, row]));
    const history = expected[0]?.history;
    for (const [contextId, { history: awaited }] of this.#behind) {
      if (history === undefined || awaited === history) continue;
      const row = current.get(contextId);
      // The next request for another context finds out whether it is behind there.
      if (row) this.#behind.set(contextId, row);
      else this.#behind.delete(contextId);
    }
  }

  /** Notes that a request that expected these versions had to retry from the start. */
  passOver(reason: RejectionReason, expected: readonly VersionedRow[], nowMs: number): void {
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

  /**
   * Begins a check if one is due, and returns the contexts to check; null: none is due. The caller
   * must then check the standby and call `looked`.
   */
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
    if (!isLong || this.#isReported) return null;
    this.#isReported = true;
    return 'passed over';
  }

  /** Notes that the standby has answered a request. */
  answered(): void {
    if (this.#since === null) this.#pauseMs = LIMITS.standbyCheckMs;
  }

  #isFitAgain(): Notice {
    const wasReported = this.#isReported;
    this.#since = null;
    this.#reason = null;
    this.#isReported = false;
    return wasReported ? 'used again' : null;
  }

  #lookLater(nowMs: number): void {
    this.#lookAt = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LIMITS.standbyLongestCheckMs);
  }
}

/** Compares layouts too: a standby with older segments lacks pages, even if the data are equal. */
function hasReached(row: StandbyRow, want: VersionedRow): boolean {
  const fault = faultOf(row, [want]);
  if (fault !== null && fault !== 'ahead') return false;
  return row.contexts.some(
    ({ contextId, layout }) => contextId === want.contextId && layout >= want.layout,
  );
}
