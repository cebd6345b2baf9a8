import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, type Place } from '../../server/admission.ts';

describe('admission', () => {
  it('has room for as many as are allowed in total, whoever they are', () => {
    const admission = new Admission({ total: 2, share: 2 });
    const first = admission.enter('a');
    expect(admission.enter('b')).not.toBeNull();
    expect(admission.enter('c')).toBeNull();
    first?.leave();
    expect(admission.enter('c')).not.toBeNull();
  });

  it('gives each address its share while it is not known who asks', () => {
    const admission = new Admission({ total: 9, share: 1 });
    expect(admission.enter('a')).not.toBeNull();
    expect(admission.enter('a')).toBeNull();
    expect(admission.enter('b')).not.toBeNull();
  });

  it('counts a request of a known user for the user, no longer for the address', () => {
    const admission = new Admission({ total: 9, share: 1 });
    expect(admission.enter('office')?.take('ada')).toBe(true);
    expect(admission.enter('office')?.take('bob')).toBe(true);
    expect(admission.enter('office')?.take('ada')).toBe(false);
    expect(admission.enter('office')).toBeNull();
  });

  it('takes a user who has the name of an address for somebody else', () => {
    const admission = new Admission({ total: 9, share: 1 });
    admission.enter('192.0.2.1');
    expect(admission.enter('b')?.take('192.0.2.1')).toBe(true);
  });

  it('counts a request once, however often it is proved who asks, and gives back once', () => {
    const admission = new Admission({ total: 9, share: 1 });
    const place = admission.enter('a');
    expect([place?.take('ada'), place?.take('ada')]).toEqual([true, true]);
    place?.leave();
    place?.leave();
    expect(admission.active).toBe(0);
    expect(admission.enter('a')?.take('ada')).toBe(true);
  });

  it('never lets in more than it may, and is empty when all have left', () => {
    const step = fc.record({
      what: fc.constantFrom('enter', 'take', 'leave'),
      who: fc.nat(3),
      which: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const admission = new Admission({ total: 5, share: 3 });
        const places: Place[] = [];
        for (const { what, who, which } of steps) {
          const place = places[which];
          if (what === 'enter') {
            const entered = admission.enter(`a${who}`);
            if (entered) places.push(entered);
          } else if (what === 'take') place?.take(`u${who}`);
          else if (place) {
            place.leave();
            places.splice(which, 1);
          }
          expect(admission.active).toBe(places.length);
          expect(admission.active).toBeLessThanOrEqual(5);
        }
        for (const place of places) place.leave();
        expect([1, 2, 3].map(() => admission.enter('a0') !== null)).toEqual([true, true, true]);
      }),
    );
  });
});
