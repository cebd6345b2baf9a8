import { describe, expect, it } from 'vitest';
import { TokenUses } from '../../../server/admission/token-uses.ts';

const A = Buffer.from('aa', 'hex');
const B = Buffer.from('bb', 'hex');

function counted() {
  const clock = { ms: 1_000 };
  return { clock, uses: new TokenUses(() => clock.ms) };
}

describe('the last uses of tokens', () => {
  it('are told once, each with its age', () => {
    const { clock, uses } = counted();
    uses.note('ada', A);
    uses.note('bob', A);
    clock.ms += 2_000;
    uses.note('ada', A);
    uses.note('ada', B);
    clock.ms += 500;
    expect(uses.take()).toEqual([
      { username: 'ada', digest: 'aa', ageSeconds: 0.5 },
      { username: 'bob', digest: 'aa', ageSeconds: 2.5 },
      { username: 'ada', digest: 'bb', ageSeconds: 0.5 },
    ]);
    expect(uses.take()).toEqual([]);
  });

  it('of other processes do not hide later ones', () => {
    const { clock, uses } = counted();
    uses.note('ada', A);
    clock.ms += 1_000;
    uses.add([
      { username: 'ada', digest: 'aa', ageSeconds: 9 },
      { username: 'ada', digest: 'bb', ageSeconds: 9 },
    ]);
    uses.add([{ username: 'ada', digest: 'bb', ageSeconds: 3 }]);
    expect(uses.take()).toEqual([
      { username: 'ada', digest: 'aa', ageSeconds: 1 },
      { username: 'ada', digest: 'bb', ageSeconds: 3 },
    ]);
  });
});
