import { selectRights } from '../../db/sql/subscriptions.ts';
import { joinLimits } from '../../domain/callers/grant-limit.ts';
import { LIMITS } from '../../domain/limits.ts';
import { claimKey } from '../../resolvers/callers/claim-key.ts';
import type { PageClaim } from '../../resolvers/loaders/request-reads.ts';
import type { Service } from '../service/service.ts';
import type { Subscriber } from './event-stream.ts';
import type { Subscribers } from './subscribers.ts';
import { askNode, isAway } from './version-watch.ts';

/**
 * Checks periodically, with one statement for all, whether subscribers may still read what they
 * follow. While the primary cannot be reached, there is nothing new to send, and nobody can change
 * rights either.
 */
export class RightsCheck {
  readonly #service: Pick<Service, 'pools' | 'log' | 'tokenUses'>;
  readonly #all: () => Iterable<Subscribers>;
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;
  /** Whether a failure was logged since the last check that succeeded. */
  #isWarned = false;

  constructor(
    service: Pick<Service, 'pools' | 'log' | 'tokenUses'>,
    all: () => Iterable<Subscribers>,
  ) {
    this.#service = service;
    this.#all = all;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.#check(), LIMITS.rightsCheckMs).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      await this.#checkAll();
      this.#isWarned = false;
    } catch (err) {
      this.#noteFailure(err);
    } finally {
      this.#isChecking = false;
    }
  }

  /** Warns once per defect: as long as it lasts, revoked users keep their streams. */
  #noteFailure(err: unknown): void {
    const isPassing = isAway(err);
    const level = isPassing || this.#isWarned ? 'debug' : 'warn';
    this.#service.log[level]({ err }, 'the rights of subscribers could not be read');
    this.#isWarned ||= !isPassing;
  }

  async #checkAll(): Promise<void> {
    const rights = this.#rights();
    if (rights.size === 0) return;
    const { pools } = this.#service;
    const wanted = [...rights.values()];
    const rows = await askNode(pools, pools.primaryUrl, (session, deadline) =>
      selectRights(session, wanted, deadline),
    );
    const found = new Map([...rights.keys()].map((name, index) => [name, rows[index]]));
    for (const subscribers of this.#all()) {
      for (const stream of subscribers.streams) {
        // Subscribers who joined since the query were looked up when they subscribed.
        const right = found.get(nameOf(stream.subscriber, subscribers));
        if (!right) continue;
        if (!right.isSignedIn) subscribers.signOut(stream);
        else if (right.limits.length === 0) subscribers.refuse(stream);
        else if (!subscribers.isLimitedBy(joinLimits(right.limits))) subscribers.complete(stream);
        else {
          subscribers.confirm(stream);
          this.#noteUse(stream.subscriber);
        }
      }
    }
  }

  #noteUse({ username, tokenDigest }: Subscriber): void {
    if (tokenDigest) this.#service.tokenUses.note(username, tokenDigest);
  }

  /** Returns each user, context, token and session once. */
  #rights() {
    const rights = new Map<string, Parameters<typeof selectRights>[1][number]>();
    for (const subscribers of this.#all()) {
      for (const { subscriber } of subscribers.streams) {
        const { username, tokenDigest } = subscriber;
        const context = subscribers.followed.contextName;
        const page = pageOf(subscriber);
        rights.set(nameOf(subscriber, subscribers), { username, context, tokenDigest, page });
      }
    }
    return rights;
  }
}

const pageOf = ({ claim }: Subscriber): PageClaim | null => ('digest' in claim ? null : claim);

const nameOf = ({ username, tokenDigest, claim }: Subscriber, { followed }: Subscribers): string =>
  JSON.stringify([
    username,
    followed.contextName,
    tokenDigest?.toString('hex') ?? null,
    'digest' in claim ? null : claimKey(claim),
  ]);
