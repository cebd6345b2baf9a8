import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { Door, type Visit } from '../../../server/admission/door.ts';

const SETTINGS = {
  ...{ maxConcurrent: 500, maxConcurrentPerUser: 500, maxWaitMs: 75 },
  ...{ logInFailures: 20, logInFailuresPerAddress: 300, logInFailureSeconds: 60 },
};

/** Enough that each waits for its turn. */
const MANY = LIMITS.crowdLeast + 20;

const ROOM = 10;

/** Visits that have come in, and a crowd that can be noticed. */
function openDoor() {
  const crowd = {
    limit: Number.POSITIVE_INFINITY,
    limitAt: () => crowd.limit,
    arrives: () => crowd.limit,
    ends: () => undefined,
    full: () => undefined,
  };
  const door = new Door(SETTINGS, undefined, crowd);
  const refusals: string[] = [];
  door.onRefusal = (why) => refusals.push(why);
  const visits = Array.from({ length: MANY }, () => door.visit('192.0.2.1'));
  for (const visit of visits) visit.enter();
  return { crowd, refusals, visits };
}

/** As a server does: one that is refused has left. */
async function outcomeOf(visit: Visit, turn: Promise<void> | undefined): Promise<string> {
  try {
    await turn;
    return 'goes on';
  } catch (error) {
    visit.leave();
    return String(error);
  }
}

/** The first of those who wait have waited longest. */
const FATES = [
  ...Array<string>(MANY - ROOM).fill('ServiceError: Server is busy'),
  ...Array<string>(ROOM).fill('goes on'),
];

describe('a crowd that is noticed', () => {
  it.each(['arrived', 'turn'] as const)(
    'refuses those who wait for their turn (%s)',
    async (at) => {
      const { crowd, refusals, visits } = openDoor();
      if (at === 'turn') for (const visit of visits) visit.proved('ada');
      const outcomes = visits.map((visit) => outcomeOf(visit, visit[at]()));
      crowd.limit = ROOM;
      expect(await Promise.all(outcomes)).toEqual(FATES);
      expect(refusals).toEqual(Array(MANY - ROOM).fill('crowd'));
      expect(visits.map(({ isRefused }) => isRefused)).toEqual(
        FATES.map((fate) => fate !== 'goes on'),
      );
    },
  );

  it('leaves those alone who came while there were few', () => {
    const { visits } = openDoor();
    for (const visit of visits.slice(LIMITS.crowdLeast)) visit.leave();
    expect(visits[0]?.arrived()).toBeUndefined();
  });
});
