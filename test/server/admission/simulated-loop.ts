import { LIMITS } from '../../../domain/limits.ts';
import { Admission, type Place } from '../../../server/admission/admission.ts';
import { CrowdLimit } from '../../../server/admission/crowd-limit.ts';

export type Arrival = {
  readonly at: number;
  readonly caller: string;
  /** Milliseconds on the event loop. */
  readonly work: number;
  /** Milliseconds before that for a database, in which the loop has nothing to do for it. */
  readonly waits?: number;
};

export type Fate = Arrival & {
  /** Milliseconds until the answer; null: refused. */
  readonly took: number | null;
  /** How many there might be when it came. */
  readonly room: number;
};

/** What it takes to refuse one who has waited. */
const REFUSAL_MS = 0.05;

/** An event loop that does one thing after the other, in a time of its own. */
export function simulate(
  arrivals: readonly Arrival[],
  rules: { readonly total?: number; readonly share?: number; readonly waitMs?: number } = {},
): Fate[] {
  const {
    total = LIMITS.concurrentRequests,
    share = LIMITS.concurrentRequestsPerUser,
    waitMs = LIMITS.crowdWaitMs,
  } = rules;
  let [now, busy] = [0, 0];
  const clock = { now: () => now, busy: () => busy };
  const admission = new Admission({ total, share }, new CrowdLimit({ most: total, waitMs }, clock));
  const coming = arrivals.toSorted((a, b) => a.at - b.at);
  let arrived = 0;
  const waiting: Task[] = [];
  const ready: Task[] = [];
  const fates: Fate[] = [];
  while (arrived < coming.length || waiting.length > 0 || ready.length > 0) {
    admit();
    const next = ready.shift();
    if (next) finish(next);
    else now = Math.min(coming[arrived]?.at ?? Infinity, waiting[0]?.readyAt ?? Infinity);
  }
  return fates;

  function admit(): void {
    for (let each = coming[arrived]; each && each.at <= now; each = coming[arrived]) {
      arrived += 1;
      const place = admission.enter(each.caller);
      const room = admission.room();
      if (typeof place === 'string') fates.push({ ...each, room, took: null });
      else enqueue({ arrival: each, place, room, readyAt: each.at + (each.waits ?? 0) });
    }
    while (waiting[0] && waiting[0].readyAt <= now) ready.push(...waiting.splice(0, 1));
  }

  function enqueue(task: Task): void {
    const at = waiting.findIndex(({ readyAt }) => readyAt > task.readyAt);
    waiting.splice(at === -1 ? waiting.length : at, 0, task);
  }

  function finish({ arrival, place, room }: Task): void {
    const isRefused = place.goOn() !== null;
    const work = isRefused ? REFUSAL_MS : arrival.work;
    now += work;
    busy += work;
    if (!isRefused) place.take(arrival.caller);
    place.leave();
    fates.push({ ...arrival, room, took: isRefused ? null : now - arrival.at });
  }
}

type Task = {
  readonly arrival: Arrival;
  readonly place: Place;
  readonly room: number;
  readonly readyAt: number;
};
