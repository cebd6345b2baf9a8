import type {
  Deadline,
  ReadSession,
  RetryRequest,
  SnapshotCheck,
  Statement,
} from '../../db/session/read-session.ts';
import type { StandbySession } from '../../db/session/standby-session.ts';

/**
 * The reads of one request on one node. If the request names no node, a standby may serve all reads
 * that depend only on the versions of contexts, but no others. There are then two snapshots, of the
 * same versions. The first such statement after the one that identifies the caller decides whether
 * a standby is used.
 */
export class RequestSession {
  readonly #primary: ReadSession;
  readonly #choose: () => StandbySession | null;
  #standby: StandbySession | null = null;
  #isDecided = false;

  /** choose: returns a session on the standby to read from; null: none. */
  constructor(primary: ReadSession, choose: () => StandbySession | null = () => null) {
    this.#primary = primary;
    this.#choose = choose;
  }

  /** Returns the session on a standby, or null. The first call decides. */
  standby(): StandbySession | null {
    if (!this.#isDecided) {
      this.#isDecided = true;
      const chosen = this.#choose();
      // A request must not wait for a standby while it holds a connection that others may need.
      if (chosen && this.#primary.detach()) this.#standby = chosen;
    }
    return this.#standby;
  }

  /** Whether a standby was chosen. */
  get usesStandby(): boolean {
    return this.#standby !== null;
  }

  /** See ReadSession for this and the following members. */
  get snapshot(): number {
    return this.#primary.snapshot;
  }

  get moved(): RetryRequest | null {
    return this.#primary.moved ?? this.#standby?.moved ?? null;
  }

  read<Row>(statement: Statement, deadline?: Deadline | null): Promise<Row[]> {
    return this.#sessionFor(statement).read<Row>(statement, deadline);
  }

  readAlone<Row>(
    statement: Statement,
    checkOf: (rows: readonly Row[]) => SnapshotCheck,
    deadline?: Deadline | null,
  ): Promise<Row[]> {
    return this.#primary.readAlone(statement, checkOf, deadline);
  }

  copy(copy: Pick<Statement, 'query' | 'text'>, deadline?: Deadline | null): Promise<Buffer> {
    return this.#sessionFor(copy).copy(copy, deadline);
  }

  releaseIdle(): boolean {
    return this.#primary.releaseIdle();
  }

  fail(moved: RetryRequest): never {
    this.#standby?.fail(moved);
    return this.#primary.fail(moved);
  }

  async end(): Promise<void> {
    await Promise.all([this.#primary.end(), this.#standby?.end()]);
  }

  #sessionFor({ query = '' }: Pick<Statement, 'query'>): ReadSession | StandbySession {
    return (isVersioned(query) ? this.standby() : null) ?? this.#primary;
  }
}

/**
 * The statements whose rows stay the same as long as the versions of the context do (ADR 7): any
 * change of the data they read raises one of these versions. The rows of all other statements,
 * including any not considered here, are valid only for their moment: locks that are held, sizes,
 * what the server reports about itself. Each request reads the caller's identity itself. Only
 * listed statements may run on a standby in place of the primary (ADR 15).
 */
const VERSIONED: ReadonlySet<string> = new Set([
  'begin',
  'commit',
  'select-catalogs',
  'select-identity',
  'select-labelled-keys',
  'select-manifest',
  'select-pages',
  'select-texts',
  'select-total-windows',
  'select-user-keys',
  'select-versions',
]);

export const isVersioned = (query: string): boolean => VERSIONED.has(query);
