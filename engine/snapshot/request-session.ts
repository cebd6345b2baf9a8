import type {
  ReadSession,
  SnapshotCheck,
  SnapshotMoved,
  Statement,
  TimeBound,
} from '../../db/session/read-session.ts';
import type { StandbySession } from '../../db/session/standby-session.ts';
import { isVersioned } from './versioned-reads.ts';

/**
 * The reads of one request on one node. If the request names no node, a standby may serve all reads
 * that depend only on the versions of contexts, but no others. There are then two snapshots, of the
 * same versions. The first such statement after the one that identifies the caller decides whether
 * a standby is used.
 */
export class RequestSession {
  readonly #home: ReadSession;
  readonly #choose: () => StandbySession | null;
  #away: StandbySession | null = null;
  #isDecided = false;

  /** choose: returns a session on the standby to read from; null: none. */
  constructor(home: ReadSession, choose: () => StandbySession | null = () => null) {
    this.#home = home;
    this.#choose = choose;
  }

  /** Returns the session on a standby, or null. The first call decides. */
  standby(): StandbySession | null {
    if (!this.#isDecided) {
      this.#isDecided = true;
      const chosen = this.#choose();
      // A request must not wait for a standby while it holds a connection that others may need.
      if (chosen && this.#home.leave()) this.#away = chosen;
    }
    return this.#away;
  }

  /** Whether a standby was chosen. */
  get isAway(): boolean {
    return this.#away !== null;
  }

  /** See ReadSession for this and the following members. */
  get snapshot(): number {
    return this.#home.snapshot;
  }

  get moved(): SnapshotMoved | null {
    return this.#home.moved ?? this.#away?.moved ?? null;
  }

  read<Row>(statement: Statement, bound?: TimeBound | null): Promise<Row[]> {
    return this.#sessionFor(statement).read<Row>(statement, bound);
  }

  readAlone<Row>(
    statement: Statement,
    checkOf: (rows: readonly Row[]) => SnapshotCheck,
    bound?: TimeBound | null,
  ): Promise<Row[]> {
    return this.#home.readAlone(statement, checkOf, bound);
  }

  copy(copy: Pick<Statement, 'query' | 'text'>, bound?: TimeBound | null): Promise<Buffer> {
    return this.#sessionFor(copy).copy(copy, bound);
  }

  rest(): boolean {
    return this.#home.rest();
  }

  fail(moved: SnapshotMoved): never {
    this.#away?.fail(moved);
    return this.#home.fail(moved);
  }

  async end(): Promise<void> {
    await Promise.all([this.#home.end(), this.#away?.end()]);
  }

  #sessionFor({ query = '' }: Pick<Statement, 'query'>): ReadSession | StandbySession {
    return (isVersioned(query) ? this.standby() : null) ?? this.#home;
  }
}
