import type {
  ReadSession,
  SnapshotCheck,
  SnapshotMoved,
  Statement,
  TimeBound,
} from '../../../db/session/read-session.ts';
import type { StandbySession } from '../../../db/session/standby-session.ts';
import { isVersioned } from './versioned-reads.ts';

/**
 * The reads of one request on a node. Those of a request that names none may be on a standby in
 * place of the primary, all that follow from the versions of contexts and no others: then there are
 * two snapshots, which are of the same versions. Which it is is decided by the first statement
 * after the one that says who asks.
 */
export class RequestSession {
  readonly #home: ReadSession;
  readonly #choose: () => StandbySession | null;
  #away: StandbySession | null = null;
  #isDecided = false;

  /** choose: the session on the standby that is to answer; null: on none. */
  constructor(home: ReadSession, choose: () => StandbySession | null = () => null) {
    this.#home = home;
    this.#choose = choose;
  }

  /** That on a standby; null: there is none. Decides it. */
  standby(): StandbySession | null {
    if (!this.#isDecided) {
      this.#isDecided = true;
      const chosen = this.#choose();
      // Nobody waits for a standby with a connection to the primary that others may need.
      if (chosen && this.#home.leave()) this.#away = chosen;
    }
    return this.#away;
  }

  /** Whether a standby was chosen before. */
  get isAway(): boolean {
    return this.#away !== null;
  }

  /** See ReadSession, for this and what follows. */
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
