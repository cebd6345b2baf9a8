import fc from 'fast-check';
import { GRID } from './alert-lab.ts';
import type { ExpectedRule } from './expected-events.ts';

const thresholds = fc.oneof(
  fc.record({ key_above: fc.integer({ min: 0, max: 60 }) }),
  fc.record({ key_share_above: fc.constantFrom(0, 0.2, 0.5, 0.9) }),
  fc.record({ key_in_top: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ key_grows_by: fc.integer({ min: 0, max: 30 }) }),
  fc.record({ key_new_above: fc.integer({ min: 0, max: 30 }) }),
  fc.record({ total_above: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ total_below: fc.integer({ min: 1, max: 150 }) }),
);

/** Rules about a summing meter, with every condition that has windows. */
export const rules: fc.Arbitrary<ExpectedRule> = fc.record({
  when: thresholds,
  window_seconds: fc.constantFrom(GRID, 2 * GRID, 3 * GRID),
  for_windows: fc.integer({ min: 1, max: 3 }),
  clear_windows: fc.integer({ min: 1, max: 3 }),
  max_keys: fc.constantFrom(1, 2, 100),
});

/** The readings of each window, by key and bucket. */
export const streams = fc.array(
  fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      bucket: fc.integer({ min: 0, max: 4 }),
      value: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 6 },
  ),
  { minLength: 4, maxLength: 40 },
);
