import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type Permit } from '../../../server/admission/admission.ts';

function enter(admission: Admission, caller: string): Permit {
  const permit = admission.enter(caller);
  if (typeof permit === 'string') throw new Error(`no room: ${permit}`);
  return permit;
}

/** How many of one caller have room, one after the other. */
function fill(admission: Admission, caller: string): number {
  let count = 0;
  while (typeof admission.enter(caller) !== 'string') count += 1;
  return count;
}

describe('admission', () => {
  it('has room for as many as are allowed in total, whoever they are', () => {
    const admission = new Admission(2);
    const first = enter(admission, 'a');
    enter(admission, 'b');
    expect(admission.enter('c')).toBe('total');
    first.leave();
    enter(admission, 'c');
  });

  it('gives one caller alone three quarters of the room', () => {
    const admission = new Admission(1024);
    expect(fill(admission, 'a')).toBe(768);
    expect(admission.enter('a')).toBe('share');
  });

  it('leaves room for those who come next, however many there are', () => {
    const admission = new Admission(1024);
    const counts = Array.from({ length: 8 }, (_, i) => fill(admission, `a${i}`));
    expect(counts).toEqual([768, 192, 48, 12, 3, 1, 0, 0]);
    // What the first one gives back goes to others before it comes back.
    const fair = new Admission(1024);
    const permits = Array.from({ length: 768 }, () => enter(fair, 'greedy'));
    for (const permit of permits.slice(0, 100)) permit.leave();
    expect(fill(fair, 'modest')).toBe(267);
    expect(fair.enter('greedy')).toBe('share');
  });

  it('counts a request of a known user for the user, no longer for the address', () => {
    const admission = new Admission(4);
    for (const user of ['ada', 'ada', 'ada']) {
      expect(enter(admission, 'office').countFor(user)).toBeNull();
    }
    const another = enter(admission, 'office');
    expect(another.countFor('ada')).toBe('share');
    expect(another.countFor('bob')).toBeNull();
  });

  it('knows whether an address has any that are not known to be of a user', () => {
    const admission = new Admission(4);
    const permit = enter(admission, 'office');
    expect([admission.hasAny('office'), admission.hasAny('home')]).toEqual([true, false]);
    permit.countFor('ada');
    expect(admission.hasAny('office')).toBe(false);
  });

  it('takes a user who has the name of an address for somebody else', () => {
    const admission = new Admission(4);
    for (let i = 0; i < 3; i += 1) enter(admission, '192.0.2.1');
    expect(admission.enter('192.0.2.1')).toBe('share');
    expect(enter(admission, 'b').countFor('192.0.2.1')).toBeNull();
  });

  it('counts a request once, however often it is proved who asks, and gives back once', () => {
    const admission = new Admission(2);
    const permit = enter(admission, 'a');
    expect([permit.countFor('ada'), permit.countFor('ada')]).toEqual([null, null]);
    permit.leave();
    permit.leave();
    expect(admission.active).toBe(0);
    expect(enter(admission, 'a').countFor('ada')).toBeNull();
  });

  it('never lets in more than it may, and is empty when all have left', () => {
    const step = fc.record({
      what: fc.constantFrom('enter', 'count', 'leave'),
      who: fc.nat(3),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const admission = new Admission(5);
        const permits: Permit[] = [];
        for (const { what, who, which } of steps) {
          const permit = permits[which];
          if (what === 'enter') {
            const entered = admission.enter(`a${who}`);
            if (typeof entered !== 'string') permits.push(entered);
          } else if (what === 'count') permit?.countFor(`u${who}`);
          else if (permit) {
            permit.leave();
            permits.splice(which, 1);
          }
          expect(admission.active).toBe(permits.length);
          expect(admission.active).toBeLessThanOrEqual(5);
        }
        for (const permit of permits) permit.leave();
        expect(fill(admission, 'a0')).toBe(4);
      }),
    );
  });
});
