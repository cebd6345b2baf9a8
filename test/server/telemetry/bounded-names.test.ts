import { describe, expect, it } from 'vitest';
import { BoundedNames } from '../../../server/telemetry/observed-metrics.ts';

describe('names that callers choose', () => {
  it('are labels until there are too many', () => {
    const names = new BoundedNames(2);
    expect(['a', 'b', 'c', 'a', 'b'].map((name) => names.labelOf(name))).toEqual([
      'a',
      'b',
      'other',
      'a',
      'b',
    ]);
  });

  it('may be addresses', () => {
    const names = new BoundedNames(3);
    for (const address of ['192.0.2.1', '2001:db8::1', '::1']) {
      expect(names.labelOf(address)).toBe(address);
    }
  });

  it.each(['', ' a', 'a\nb', 'a"b', 'a{b}', 'a'.repeat(65)])(
    'are not used as labels if they have another form: %j',
    (name) => {
      const names = new BoundedNames(1);
      expect(names.labelOf(name)).toBe('other');
      expect(names.labelOf('a')).toBe('a');
    },
  );
});
