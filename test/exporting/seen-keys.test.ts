import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeenKeys } from '../../exporting/seen-keys.ts';

it('a key is new once, in each shard for itself', () => {
  const key = fc.tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 3_000_000 })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const seen = new SeenKeys();
      const known = new Set<string>();
      for (const [shard, keyId] of keys) {
        const name = `${shard} ${keyId}`;
        expect(seen.add(shard, keyId)).toBe(!known.has(name));
        known.add(name);
        expect(seen.size).toBe(known.size);
      }
    }),
  );
});
