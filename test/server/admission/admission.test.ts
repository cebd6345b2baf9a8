import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type Permit } from '../../../server/admission/admission.ts';

function enter(admission: Admission, caller: string): Permit {
  const permit = admission.enter(caller);
  if (typeof permit === 'string') throw new Error(`no room: ${permit}`);
  return permit;
}

/** Returns how many requests of one caller are admitted. */
function fill(admission: Admission, caller: string): number {
  let count = 0;
  while (typeof admission.enter(caller) !== 'string') count += 1;
  return count;
}

describe('admission', () => {
  it('admits up to the total limit, whoever the callers are', () => {
    const admission = new Admission(2);
    const first = enter(admission, 'a');
    enter(admission, 'b');
    expect(admission.enter('c')).toBe('total');
    first.leave();
    enter(admission, 'c');
  });

  it('gives a single caller three quarters of the permits', () => {
    const admission = new Admission(1024);
    expect(fill(admission, 'a')).toBe(768);
    expect(admission.enter('a')).toBe('share');
  });

  it('keeps permits for the callers who come next', () => {
    const admission = new Admission(1024);
    const counts = Array.from({ length: 8 }, (_, i) => fill(admission, `a${i}`));
    expect(counts).toEqual([768, 192, 48, 12, 3, 1, 0, 0]);
    // Permits that a caller with too many returns go to others first.
    const fair = new Admission(1024);
    const permits = Array.from({ length: 768 }, () => enter(fair, 'greedy'));
    for (const permit of permits.slice(0, 100)) permit.leave();
    expect(fill(fair, 'modest')).toBe(267);
    expect(fair.enter('greedy')).toBe('share');
  });

  it('counts a request for its user once known, and no longer for the address', () => {
    const admission = new Admission(4);
    for (const user of ['ada', 'ada', 'ada']) {
      expect(enter(admission, 'office').countFor(user)).toBeNull();
    }
    const another = enter(admission, 'office');
    expect(another.countFor('ada')).toBe('share');
    expect(another.countFor('bob')).toBeNull();
  });

  it('knows whether an address has requests without a known user', () => {
    const admission = new Admission(4);
    const permit = enter(admission, 'office');
    expect([admission.hasAny('office'), admission.hasAny('home')]).toEqual([true, false]);
    permit.countFor('ada');
    expect(admission.hasAny('office')).toBe(false);
  });

  it('does not confuse a user with an address of the same name', () => {
    const admission = new Admission(4);
    for (let i = 0; i < 3; i += 1) enter(admission, '192.0.2.1');
    expect(admission.enter('192.0.2.1')).toBe('share');
    expect(enter(admission, 'b').countFor('192.0.2.1')).toBeNull();
  });

  it('counts a request once, however often its user is named, and releases it once', () => {
    const admission = new Admission(2);
    const permit = enter(admission, 'a');
    expect([permit.countFor('ada'), permit.countFor('ada')]).toEqual([null, null]);
    permit.leave();
    permit.leave();
    expect(admission.active).toBe(0);
    expect(enter(admission, 'a').countFor('ada')).toBeNull();
  });

  it('never admits more than its limit, and is empty when all have left', () => {
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
