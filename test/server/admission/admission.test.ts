import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Admission,
  type AdmissionLimits,
  type Place,
} from '../../../server/admission/admission.ts';

/** A crowd in which there is room for so many; without, there is none. */
const crowdOf = (limit = Number.POSITIVE_INFINITY) => ({
  limit,
  limitAt: () => limit,
  arrives: () => limit,
  ends: () => undefined,
  full: () => undefined,
});

const open = (limits: AdmissionLimits, room?: number) => new Admission(limits, crowdOf(room));

function enter(admission: Admission, caller: string): Place {
  const place = admission.enter(caller);
  if (typeof place === 'string') throw new Error(`no room: ${place}`);
  return place;
}

describe('admission', () => {
  it('has room for as many as are allowed in total, whoever they are', () => {
    const admission = open({ total: 2, share: 2 });
    const first = enter(admission, 'a');
    enter(admission, 'b');
    expect(admission.enter('c')).toBe('total');
    first.leave();
    enter(admission, 'c');
  });

  it('gives each address its share while it is not known who asks', () => {
    const admission = open({ total: 9, share: 1 });
    enter(admission, 'a');
    expect(admission.enter('a')).toBe('share');
    enter(admission, 'b');
  });

  it('counts a request of a known user for the user, no longer for the address', () => {
    const admission = open({ total: 9, share: 1 });
    expect(enter(admission, 'office').take('ada')).toBeNull();
    expect(enter(admission, 'office').take('bob')).toBeNull();
    expect(enter(admission, 'office').take('ada')).toBe('share');
    expect(admission.enter('office')).toBe('share');
  });

  it('takes a user who has the name of an address for somebody else', () => {
    const admission = open({ total: 9, share: 1 });
    enter(admission, '192.0.2.1');
    expect(enter(admission, 'b').take('192.0.2.1')).toBeNull();
  });

  it('counts a request once, however often it is proved who asks, and gives back once', () => {
    const admission = open({ total: 9, share: 1 });
    const place = enter(admission, 'a');
    expect([place.take('ada'), place.take('ada')]).toEqual([null, null]);
    place.leave();
    place.leave();
    expect(admission.active).toBe(0);
    expect(enter(admission, 'a').take('ada')).toBeNull();
  });

  it('never lets in more than it may, and is empty when all have left', () => {
    const step = fc.record({
      what: fc.constantFrom('enter', 'take', 'leave'),
      who: fc.nat(3),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const admission = open({ total: 5, share: 3 });
        const places: Place[] = [];
        for (const { what, who, which } of steps) {
          const place = places[which];
          if (what === 'enter') {
            const entered = admission.enter(`a${who}`);
            if (typeof entered !== 'string') places.push(entered);
          } else if (what === 'take') place?.take(`u${who}`);
          else if (place) {
            place.leave();
            places.splice(which, 1);
          }
          expect(admission.active).toBe(places.length);
          expect(admission.active).toBeLessThanOrEqual(5);
        }
        for (const place of places) place.leave();
        expect([1, 2, 3].map(() => typeof admission.enter('a0'))).toEqual(Array(3).fill('object'));
      }),
    );
  });

  it('has room for fewer in a crowd, and for each who asks at least an equal part of it', () => {
    const admission = open({ total: 99, share: 99 }, 4);
    const greedy = [1, 2, 3, 4].map(() => enter(admission, 'greedy'));
    expect(admission.enter('greedy')).toBe('crowd');
    enter(admission, 'modest');
    enter(admission, 'modest');
    expect(admission.enter('modest')).toBe('crowd');
    for (const place of greedy.slice(0, 2)) place.leave();
    expect([admission.active, admission.enter('greedy')]).toEqual([4, 'crowd']);
    expect(admission.room()).toBe(4);
  });

  it('goes on with no more of those who wait than there is room for since a crowd was noticed', () => {
    const crowd = { ...crowdOf() };
    const admission = new Admission({ total: 99, share: 99 }, crowd);
    const greedy = [1, 2, 3, 4, 5].map(() => enter(admission, 'greedy'));
    const modest = enter(admission, 'modest');
    crowd.limit = 4;
    expect(modest.goOn()).toBeNull();
    const begun = greedy.filter((place) => {
      if (place.goOn() === null) return true;
      place.leave();
      return false;
    });
    expect(begun).toEqual(greedy.slice(2));
    expect(admission.active).toBe(4);
  });

  it('does not let a user with many addresses have more of it', () => {
    const admission = open({ total: 99, share: 99 }, 2);
    for (const from of ['a', 'a']) expect(enter(admission, from).take('ada')).toBeNull();
    const another = enter(admission, 'b');
    expect(another.take('ada')).toBe('crowd');
    expect(another.take('bob')).toBeNull();
  });
});
