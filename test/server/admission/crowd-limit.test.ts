import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { CrowdLimit } from '../../../server/admission/crowd-limit.ts';
import { type Arrival, type Fate, simulate } from './simulated-loop.ts';

/** Small requests and dashboards in turn, as the bench asks them: a mean of 4 ms. */
const WORKS = [1, 1, 1, 2, 18, 1, 2, 1, 2, 14, 1];
const MEAN = WORKS.reduce((sum, work) => sum + work, 0) / WORKS.length;

type Stream = {
  /** Of what can be done. */
  readonly load: number;
  readonly seconds: number;
  readonly from?: number;
  /** How many times as slow as the machine of the others. */
  readonly slow?: number;
  readonly callerOf?: (index: number) => string;
};

/** Evenly, as a crowd asks of which nobody waits for anybody. */
function stream({ load, seconds, from = 0, slow = 1, callerOf = () => 'a' }: Stream): Arrival[] {
  const gap = (MEAN * slow) / load;
  return Array.from({ length: Math.floor((seconds * 1000) / gap) }, (_, index) => ({
    at: from + index * gap,
    caller: callerOf(index),
    work: (WORKS[index % WORKS.length] ?? 1) * slow,
  }));
}

const refusedOf = (fates: readonly Fate[]): Fate[] => fates.filter(({ took }) => took === null);

function p99(fates: readonly Fate[]): number {
  const times = fates.flatMap(({ took }) => took ?? []).toSorted((a, b) => a - b);
  return times[Math.ceil(times.length * 0.99) - 1] ?? 0;
}

/** Once the crowd is there, and what was let in before has been answered. */
const later = (fates: readonly Fate[], ms: number): Fate[] => fates.filter(({ at }) => at >= ms);

describe('a server that is asked for less than it can do', () => {
  it('refuses nothing, for ten minutes at 80 %', () => {
    expect(refusedOf(simulate(stream({ load: 0.8, seconds: 600 })))).toEqual([]);
  });

  it('refuses nothing where it stands still for a third of a second again and again', () => {
    // As busy as a small server: 1.2 requests a millisecond could be done.
    const slow = 0.21;
    const asked = stream({ load: 0.75, seconds: 60, slow });
    const stalls = Array.from({ length: 10 }, (_, index) => ({
      ...{ at: 3_000 + index * 6_000, caller: 'import', work: 350 },
    }));
    expect(refusedOf(simulate([...asked, ...stalls]))).toEqual([]);
  });

  it('refuses nothing while the queue of a second of standing still becomes shorter', () => {
    const slow = 0.3;
    const asked = stream({ load: 0.75, seconds: 30, slow });
    const stalls = [5_000, 15_000].map((at) => ({ at, caller: 'import', work: 1_000 }));
    expect(refusedOf(simulate([...asked, ...stalls], { total: 1_024, share: 768 }))).toEqual([]);
  });

  it('refuses no more than there is no room for, when there is none for a moment', () => {
    const slow = 0.3;
    const asked = stream({ load: 0.75, seconds: 10, slow });
    // A little longer than what fills all places.
    const fills = (LIMITS.concurrentRequestsPerUser * MEAN * slow) / 0.75;
    const fates = simulate([...asked, { at: 3_000, caller: 'import', work: fills + 30 }]);
    const refused = refusedOf(fates);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(60);
  });

  it.each([0.2, 0.7, 1])(
    'refuses nothing of bursts that there is room for, one each %s ms',
    (gap) => {
      // 400 a second can be done.
      const slow = 0.62;
      const usual = stream({ load: 0.1, seconds: 20, slow });
      const bursts = [1_000, 6_000, 11_000].flatMap((from) =>
        Array.from({ length: 700 }, (_, index) => ({
          ...{ at: from + index * gap, caller: 'a', work: MEAN * slow },
        })),
      );
      expect(refusedOf(simulate([...usual, ...bursts]))).toEqual([]);
    },
  );

  it('answers sixty requests at once of one user, however long they take', () => {
    const dashboard = Array.from({ length: 60 }, () => ({ at: 0, caller: 'a', work: 100 }));
    expect(refusedOf(simulate(dashboard))).toEqual([]);
  });

  it('answers them when they arrive one after the other, faster than they get done', () => {
    const late = Array.from({ length: 60 }, (_, i) => ({ at: i * 60, caller: 'a', work: 100 }));
    expect(refusedOf(simulate(late))).toEqual([]);
  });

  it('answers them again and again, as long as they get done in between', () => {
    const boards = Array.from({ length: 600 }, (_, index) => ({
      ...{ at: Math.floor(index / 60) * 3_200, caller: 'a', work: 50 },
    }));
    expect(refusedOf(simulate(boards))).toEqual([]);
  });

  it('takes requests that wait for a database for no crowd', () => {
    const waiting = Array.from({ length: 200 }, (_, index) => ({
      ...{ at: index * 10, caller: `a${index % 4}`, work: 1, waits: 60_000 },
    }));
    const fates = simulate([...waiting, ...stream({ load: 0.5, seconds: 60 })]);
    expect(refusedOf(fates)).toEqual([]);
  });
});

describe.each([0.1, 1, 5])(
  'a server asked for three times of what it can, %s times as slow',
  (slow) => {
    const crowd = simulate(stream({ load: 3, seconds: 60, slow, callerOf: (i) => `a${i % 40}` }));
    const settled = later(crowd, 3_000 * Math.max(1, slow));

    it('answers what it accepts within twice of what its queue is bounded to', () => {
      const { crowdWaitMs, crowdLeast } = LIMITS;
      const bound = Math.max(crowdWaitMs, crowdLeast * MEAN * slow);
      expect(p99(settled)).toBeLessThanOrEqual(2 * bound);
    });

    it('has always something to do: as much is answered as without a crowd', () => {
      const work = settled.reduce((sum, { took, work: own }) => sum + (took === null ? 0 : own), 0);
      const [first, last] = [settled[0]?.at ?? 0, settled.at(-1)?.at ?? 0];
      expect(work / (last - first)).toBeGreaterThan(0.9);
    });

    it('has room for everybody again as soon as it is over', () => {
      const from = 20_000;
      const after = stream({ load: 0.5, seconds: 20, from, slow });
      const fates = simulate([...stream({ load: 3, seconds: 20, slow }), ...after]);
      const late = later(fates, from + 1_500 * Math.max(1, slow));
      expect(refusedOf(late)).toEqual([]);
      expect(late.at(-1)?.room).toBe(LIMITS.concurrentRequests);
    });
  },
);

describe('in a crowd', () => {
  it('nobody waits for long as soon as there is no room for all', () => {
    const slow = 0.21;
    const crowd = simulate(stream({ load: 3, seconds: 60, slow }));
    // What came before is less than one in a hundred.
    expect(p99(crowd)).toBeLessThan(2 * LIMITS.crowdWaitMs);
    const [first] = refusedOf(crowd);
    expect(p99(later(crowd, (first?.at ?? 0) + 1_000))).toBeLessThan(2 * LIMITS.crowdWaitMs);
  });

  it('it is noticed as soon as far more is asked than was seen to get done', () => {
    const slow = 0.21;
    const from = 10_000;
    const usual = stream({ load: 0.8, seconds: 10, slow });
    // More than there are places have come half a second before all of these are taken.
    const asked = [...usual, ...stream({ load: 2.2, seconds: 2, from, slow })];
    const [total, share] = [1_000, 1_000];
    const [first] = refusedOf(simulate(asked, { total, share }));
    const { crowdSurgeMs, crowdLookMs } = LIMITS;
    expect(first?.at).toBeLessThan(from + crowdSurgeMs + 3 * crowdLookMs);
  });

  it('nobody waits for long where it is hardly more than can be done', () => {
    const crowd = simulate(stream({ load: 1.3, seconds: 60, slow: 0.21 }));
    expect(p99(crowd)).toBeLessThan(2 * LIMITS.crowdWaitMs);
    const late = refusedOf(later(crowd, 5_000));
    expect(late.length).toBeGreaterThan(0);
  });

  it('nobody waits for long when the server becomes slower, as beside an import', () => {
    const [from, seconds, slower] = [10_000, 2, 4];
    const slow = 0.2;
    const fast = stream({ load: 3, seconds: 30, slow });
    const fates = simulate(
      fast.map((each) => {
        const isSlow = each.at >= from && each.at < from + seconds * 1000;
        return isSlow ? { ...each, work: each.work * slower } : each;
      }),
    );
    const during = fates.filter(({ at }) => at >= from - 100 && at < from + seconds * 1000);
    expect(p99(during)).toBeLessThan(3 * LIMITS.crowdWaitMs);
  });

  it('a greedy caller does not keep others from being answered', () => {
    const greedy = stream({ load: 3, seconds: 30, callerOf: () => 'greedy' });
    const modest = stream({ load: 0.1, seconds: 30, callerOf: () => 'modest' });
    const fates = later(simulate([...greedy, ...modest]), 3_000);
    const refused = (caller: string): number => {
      const own = fates.filter((fate) => fate.caller === caller);
      return refusedOf(own).length / own.length;
    };
    expect(refused('modest')).toBe(0);
    expect(refused('greedy')).toBeGreaterThan(0.5);
  });

  it('as many callers as there are do not let in more than twice of what there is room for', () => {
    const fates = simulate(stream({ load: 10, seconds: 20, callerOf: (index) => `a${index}` }), {
      total: 1000,
      share: 1000,
    });
    const room = Math.max(LIMITS.crowdWaitMs, LIMITS.crowdLeast * MEAN);
    expect(p99(later(fates, 8_000))).toBeLessThan(2 * room);
  });

  it('nothing changes where the limit is switched off', () => {
    const fates = simulate(stream({ load: 3, seconds: 20 }), { waitMs: 0 });
    expect(new Set(fates.map(({ room }) => room))).toEqual(new Set([LIMITS.concurrentRequests]));
  });

  it('it is known to be over without anybody asking', () => {
    let [now, busy] = [0, 0];
    const clock = { now: () => now, busy: () => busy };
    const limit = new CrowdLimit({ most: 1000, waitMs: LIMITS.crowdWaitMs }, clock);
    for (let active = 1; active < 4_000; active += 1) {
      limit.arrives(active);
      limit.ends(active);
      now += 1;
      busy += 1;
    }
    expect(limit.limitAt(1)).toBeLessThan(100);
    now += 1_000;
    expect(limit.limitAt(0)).toBe(1000);
  });
});
