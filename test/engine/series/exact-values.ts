import fc from 'fast-check';
import type { Exact } from '../../../domain/toppers/exact.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';

const small = fc.record({ sum: fc.bigInt(-40n, 40n), count: fc.bigInt(1n, 3n) });
const any = fc.record({
  sum: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n), fc.bigInt(2n ** 60n, 2n ** 60n + 2n)),
  count: fc.bigInt(1n, 2n ** 33n),
});

/** Values of a series, many of them equal or so large that doubles round them. */
export const exactValues = fc.oneof(
  fc.array(small, { minLength: 1 }),
  fc.array(any, { minLength: 1 }),
);

/** Only means have counts. */
export const asAggregated = (value: Exact, aggregate: Aggregate): Exact =>
  aggregate === 'mean' ? value : { ...value, count: 1n };
