import { within } from '../../db/session/deadline.ts';
import { busyConnections, type NodePools } from '../../db/session/node-pools.ts';
import type { RejectionReason } from '../../db/session/snapshot-check.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { faultOf, type StandbyRow, selectStandby } from '../../db/standby-check.ts';
import { LIMITS } from '../../domain/limits.ts';

type StandbysOptions = {
  readonly pools: NodePools;
  /** Called once with a standby's address when it has been passed over for long … */
  readonly onPassedOver?: (url: string, reason: RejectionReason) => void;
  /** … and once when it is used again. */
  readonly onUsedAgain?: (url: string) => void;
};

/** A request that names no node. */
type Wanted = {
  /** Addresses of the standbys that share all its contexts. */
  readonly urls: readonly string[];
  /** The versions of its contexts on the primary. */
  readonly expected: readonly VersionedRow[];
  /** Number of connections to the primary that the request itself holds. */
  readonly ownBusy: number;
};

/** The outcomes of requests that a shared standby could have answered. */
type SharedUse = {
  readonly url: string;
  readonly answered: number;
  readonly passedOver: ReadonlyMap<RejectionReason, number>;
  /** Why the standby is passed over now; null: it is used. */
  readonly reason: RejectionReason | null;
};

type Known = {
  readonly state: StandbyState;
  readonly passedOver: Map<RejectionReason, number>;
  answered: number;
};

/** The nodes that answer requests that name no node: the primary, and the shared standbys. */
export class Standbys {
  readonly #options: StandbysOptions;
  readonly #known = new Map<string, Known>();
  #rotation = 0;

  constructor(options: StandbysOptions) {
    this.#options = options;
  }

  /** Returns the address of the standby to read from; null: the primary. */
  pick({ urls, expected, ownBusy }: Wanted): string | null {
    const { pools } = this.#options;
    const contextIds = expected.map(({ contextId }) => contextId);
    const fit = urls.filter((url) => {
      const { state } = this.#at(url);
      state.expect(expected);
      this.#lookAgain(url, state);
      return state.isFitFor(contextIds);
    });
    if (fit.length === 0) return null;
    const busy = [
      busyConnections(pools.at(pools.primaryUrl)) - ownBusy,
      ...fit.map((url) => busyConnections(pools.at(url))),
    ];
    this.#rotation += 1;
    return [null, ...fit][pickNode(busy, this.#rotation)] ?? null;
  }

  answered(url: string): void {
    const known = this.#at(url);
    known.answered += 1;
    known.state.answered();
  }

  passedOver(url: string, reason: RejectionReason, expected: readonly VersionedRow[]): void {
    const { state, passedOver } = this.#at(url);
    passedOver.set(reason, (passedOver.get(reason) ?? 0) + 1);
    state.passOver(reason, expected, performance.now());
  }

  use(): readonly SharedUse[] {
    return Array.from(this.#known, ([url, { state, answered, passedOver }]) => ({
      url,
      answered,
      passedOver,
      reason: state.reason,
    }));
  }

  #at(url: string): Known {
    const known = this.#known.get(url) ?? {
      state: new StandbyState(),
      passedOver: new Map(),
      answered: 0,
    };
    this.#known.set(url, known);
    return known;
  }

  /** Checks a standby in the background if a check is due. No request waits for it. */
  #lookAgain(url: string, state: StandbyState): void {
    const contextIds = state.beginLook(performance.now());
    if (contextIds === null) return;
    const { pools, onPassedOver, onUsedAgain } = this.#options;
    const bound = {
      seconds: LIMITS.standbyWaitMs / 1000,
      until: performance.now() + LIMITS.standbyWaitMs,
    };
    const notify = (row: Awaited<ReturnType<typeof selectStandby>>): void => {
      const { reason } = state;
      const notice = state.looked({ row, nowMs: performance.now() });
      if (notice === 'passed over' && reason) onPassedOver?.(url, reason);
      if (notice === 'used again') onUsedAgain?.(url);
    };
    within(selectStandby(pools.at(url).control, contextIds), bound).then(notify, () =>
      notify(null),
    );
  }
}

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

/**
 * Returns the index of the node to read from: the least busy one; equally busy ones rotate.
 * busy: for each node, the number of connections in use or waited for.
 */
export function pickNode(busy: readonly number[], rotation: number): number {
  const min = Math.min(...busy);
  const idle = busy.flatMap((count, index) => (count === min ? [index] : []));
  return idle[rotation % idle.length] ?? 0;
}
