import { timingSafeEqual } from 'node:crypto';
import { selectRights } from '../../db/queries/live/select-rights.ts';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Service } from '../service/service.ts';
import type { Followers } from './followers.ts';
import { askNode } from './versions/ask-node.ts';

/** Kinds of errors of a primary that is away or does not answer. */
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'timeout']);

/**
 * Checks periodically, with one statement for all, whether subscribers may still read what they
 * follow. While the primary cannot be reached, there is nothing new to send, and nobody can change
 * rights either.
 */
export class RightsCheck {
  readonly #service: Pick<Service, 'pools' | 'log'>;
  readonly #all: () => Iterable<Followers>;
  #timer: NodeJS.Timeout | null = null;
  #isChecking = false;
  /** Whether a failure was logged since the last check that succeeded. */
  #isWarned = false;

  constructor(service: Pick<Service, 'pools' | 'log'>, all: () => Iterable<Followers>) {
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
    const isAway = err instanceof ServiceError && AWAY.has(err.kind);
    const level = isAway || this.#isWarned ? 'debug' : 'warn';
    this.#service.log[level]({ err }, 'the rights of subscribers could not be read');
    this.#isWarned ||= !isAway;
  }

  async #checkAll(): Promise<void> {
    const rights = this.#rights();
    if (rights.size === 0) return;
    const { pools } = this.#service;
    const asked = [...rights.values()];
    const rows = await askNode(pools, pools.primaryUrl, (session, bound) =>
      selectRights(session, asked, bound),
    );
    const found = new Map([...rights.keys()].map((name, index) => [name, rows[index]]));
    for (const followers of this.#all()) {
      for (const stream of followers.streams) {
        // Subscribers who joined since the query were looked up when they subscribed.
        const right = found.get(nameOf(stream.follower.username, followers));
        if (!right) continue;
        const { digest, isGranted } = right;
        const isSame = digest !== null && timingSafeEqual(digest, stream.follower.digest);
        if (!isSame) followers.signOut(stream);
        else if (!isGranted) followers.refuse(stream);
        else followers.confirm(stream);
      }
    }
  }

  /** Returns each pair of user and context once. */
  #rights() {
    const rights = new Map<string, { username: string; context: string }>();
    for (const followers of this.#all()) {
      for (const { follower } of followers.streams) {
        const { username } = follower;
        const context = followers.followed.contextName;
        rights.set(nameOf(username, followers), { username, context });
      }
    }
    return rights;
  }
}

const nameOf = (username: string, { followed }: Followers): string =>
  JSON.stringify([username, followed.contextName]);
