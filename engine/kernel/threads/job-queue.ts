/** What the queue has to know about a job. */
export type QueuedJob = {
  /** The name of the user whose job it is; empty: a caller who is not identified yet. */
  readonly user: string;
  /** The thread in which it has begun, and where it has to continue; null: it has not begun. */
  thread: object | null;
};

/** A job's place in the queue, and how long threads have worked on it. */
type Place<Job> = { readonly job: Job; usedMs: number; isRunning: boolean };

/** A user with at least one job. */
type User<Job> = { readonly places: Map<Job, Place<Job>>; usedMs: number };

/**
 * Decides which job a thread runs next: one of the user who has received the least thread time, so
 * that nobody waits longer because others have queued more. A user who arrives starts at the least
 * time of those present, and goes first among equals. Of the jobs of a user, the one that has run
 * for the shortest time is next, then the oldest: small questions need not wait for large ones.
 */
export class JobQueue<Job extends QueuedJob> {
  /** By name, in the order of their arrival. */
  readonly #users = new Map<string, User<Job>>();

  /** Number of jobs that wait for a thread, whether they have begun or not. */
  get waiting(): number {
    return this.jobs().length;
  }

  /** Returns the jobs that wait for a thread. */
  jobs(): Job[] {
    return [...this.#users.values()].flatMap((user) => waitingPlaces(user).map(({ job }) => job));
  }

  add(job: Job): void {
    const user = this.#users.get(job.user) ?? { places: new Map(), usedMs: this.#leastMs() };
    this.#users.set(job.user, user);
    user.places.set(job, { job, usedMs: 0, isRunning: false });
  }

  #leastMs(): number {
    const times = Array.from(this.#users.values(), ({ usedMs }) => usedMs);
    return times.length === 0 ? 0 : Math.min(...times);
  }

  /**
   * Returns the next job for a thread, which runs from now on; null: there is none. Leaves out the
   * jobs of some users.
   */
  take(thread: object, without: ReadonlySet<string> = new Set()): Job | null {
    let best: { readonly place: Place<Job>; readonly usedMs: number } | null = null;
    for (const [name, user] of this.#users) {
      if (without.has(name)) continue;
      const place = nextPlace(user, thread);
      if (place && (best === null || user.usedMs <= best.usedMs)) {
        best = { place, usedMs: user.usedMs };
      }
    }
    if (best === null) return null;
    best.place.isRunning = true;
    best.place.job.thread = thread;
    return best.place.job;
  }

  /** Notes that a thread has worked on a job, which now waits again. */
  pause(job: Job, ms: number): void {
    const place = this.#note(job, ms);
    if (place) place.isRunning = false;
  }

  /** Removes a job. ms: how long a thread has just worked on it. */
  remove(job: Job, ms = 0): void {
    this.#note(job, ms);
    const user = this.#users.get(job.user);
    user?.places.delete(job);
    if (user?.places.size === 0) this.#users.delete(job.user);
  }

  #note(job: Job, ms: number): Place<Job> | null {
    const user = this.#users.get(job.user);
    const place = user?.places.get(job);
    if (!user || !place) return null;
    user.usedMs += ms;
    place.usedMs += ms;
    return place;
  }

  /** Returns the newest of the waiting jobs of the user who has the most; null: no job waits. */
  newestOfMost(): Job | null {
    let most: readonly Place<Job>[] = [];
    for (const user of this.#users.values()) {
      const waiting = waitingPlaces(user);
      if (waiting.length >= most.length) most = waiting;
    }
    return most.at(-1)?.job ?? null;
  }
}

const waitingPlaces = <Job>({ places }: User<Job>): Place<Job>[] =>
  [...places.values()].filter(({ isRunning }) => !isRunning);

function nextPlace<Job extends QueuedJob>(user: User<Job>, thread: object): Place<Job> | null {
  let next: Place<Job> | null = null;
  for (const place of waitingPlaces(user)) {
    const isPossible = place.job.thread === null || place.job.thread === thread;
    if (isPossible && (next === null || place.usedMs < next.usedMs)) next = place;
  }
  return next;
}
