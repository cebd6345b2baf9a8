import { within } from '../../db/session/deadline.ts';
import { busyConnections, type NodePools } from '../../db/session/node-pools.ts';
import type { RejectionReason } from '../../db/session/snapshot-check.ts';
import type { VersionedRow } from '../../db/sql/versions.ts';
import { selectStandby } from '../../db/standby-check.ts';
import { LIMITS } from '../../domain/limits.ts';
import { pickNode } from './pick-node.ts';
import { StandbyState } from './standby-state.ts';

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
