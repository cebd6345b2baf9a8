import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import { DAY, group, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { checkAnswers } from './check-answers.ts';
import type { Question } from './several-days.ts';

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(12, 12)];

/** Topper buckets shorter than a slice, as long as a slice, and longer. */
const GROUPS = [
  group(1, { meters: METERS, bucket_size: 300, topper_bucket_size: 900 }),
  group(2, { meters: METERS, bucket_size: 1800, topper_bucket_size: 14_400, key_kind: 'protocol' }),
  group(3, { meters: METERS, bucket_size: 3600, topper_bucket_size: DAY, key_kind: 'protocol' }),
] as const;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: GROUPS, declaration: { slice_seconds: 3600 } });
});

afterAll(() => lab.close());

/** Some hours of three days; each is a slice. */
const HOURS = [0, 1, 5, 23, 24, 25, 30, 47, 48, 60, 71];

const line: fc.Arbitrary<Line> = fc
  .record({
    each: fc.constantFrom(...GROUPS),
    hour: fc.constantFrom(...HOURS),
    second: fc.oneof(fc.constantFrom(0, 299, 300, 1799, 1800, 3599), fc.nat({ max: 3599 })),
    key: fc.constantFrom('01', '02', '0A', '0B'),
    value: fc.integer({ min: 0, max: 1000 }),
  })
  .map(({ each, hour, second, key, value }) => ({
    group: each.guid,
    key,
    ts: T0 + hour * 3600 + second,
    values: { 2: value, 4: value * 300, 5: value - 500, 12: 500 - value },
  }));

const question: fc.Arbitrary<Question> = fc
  .record({
    group: fc.constantFrom(...GROUPS),
    meter: fc.constantFrom(...METERS.map(({ id }) => id)),
    step: fc.constantFrom(1, 300, 3600, DAY),
    from: fc.integer({ min: -7200, max: 3 * DAY }),
    seconds: fc.oneof(fc.integer({ min: 1, max: 9000 }), fc.integer({ min: 9000, max: 3 * DAY })),
    maxItems: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ step, from, seconds, ...rest }) => {
    const at = T0 + Math.floor(from / step) * step;
    return { ...rest, from: at, to: at + Math.ceil(seconds / step) * step, ranks: [0, 50, 99] };
  });

const many = <T>(each: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> =>
  fc.array(each, { minLength: length, maxLength: length });

it('toppers of hourly slices equal plain sums of the lines', async () => {
  const isExact = fc.asyncProperty(
    many(fc.tuple(many(line, 40), many(question, 15), fc.constantFrom(0, 1)), 3),
    many(question, 10),
    async (imports, always) => {
      const lines: Line[] = [];
      for (const [added, now, engine] of imports) {
        await lab.importSamples(added, { engine });
        lines.push(...added);
        await checkAnswers({ lab, context: CONTEXT, lines, questions: [...always, ...now] });
      }
    },
  );
  await fc.assert(isExact, { numRuns: 1, endOnFailure: true });
});
