import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyContext } from '../../store/check/verify-context.ts';
import { DAY, group, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { checkAnswers } from './check-answers.ts';
import type { Question } from './several-days.ts';

const GROUP = group(1, {
  key_kind: 'protocol',
  bucket_size: 60,
  topper_bucket_size: 60,
  meters: Array.from({ length: 11 }, (_, id) => meter(id, 2)),
});

/** Its values take so many bytes that the series of all keys fill several pages. */
const LARGE = 2 ** 40;

const key = (n: number): string => n.toString(16).toUpperCase().padStart(2, '0');

const line = (n: number, ts: number, value: number): Line => ({
  group: GROUP.guid,
  key: key(n),
  ts,
  values: Object.fromEntries(GROUP.meters.map(({ id }) => [id, value + id])),
});

/** A day of a key: a reading of every meter in each of 33 minutes. */
const dayOf = (n: number): Line[] =>
  Array.from({ length: 33 }, (_, i) => line(n, T0 + DAY + i * 60, LARGE + n * 1000 + i));

const keysFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + i);

let lab: TestService;
let lines: Line[];

beforeAll(async () => {
  lines = [
    // All keys once, on the day before.
    ...keysFrom(0, 128).map((n) => line(n, T0, 1)),
    // Series that fill several pages.
    ...[...keysFrom(10, 29), ...keysFrom(60, 30)].flatMap(dayOf),
  ];
  lab = await startLab({ groups: [GROUP], lines });
});

afterAll(() => lab.close());

const EVERYTHING: Question = {
  group: GROUP,
  meter: 5,
  from: T0 + DAY,
  to: T0 + 2 * DAY,
  maxItems: 1000,
  ranks: [0, 99, 100],
};

const only = (wanted: string) => ({
  match: `^${wanted}$`,
  passes: (each: string) => each === wanted,
});

async function importLate(added: readonly Line[]): Promise<void> {
  await lab.importSamples(added);
  lines.push(...added);
  // Each key alone too: among several, pages that were read for one key may contain another.
  const alone = added.map((each) => ({ ...EVERYTHING, ...only(each.key) }));
  await checkAnswers({ lab, lines, questions: [EVERYTHING, ...alone] });
  const { differenceCount } = await verifyContext({
    databaseUrl: lab.databaseUrl,
    context: CONTEXT,
  });
  expect(differenceCount).toBe(0);
}

describe('late readings of keys between and after the stored keys', () => {
  it('are found', async () => {
    await importLate([50, 127].map((n) => line(n, T0 + DAY + 600, 7)));
  });

  it('are found when more follow for the same keys', async () => {
    await importLate([50, 127].map((n) => line(n, T0 + DAY + 1200, 8)));
    await importLate([4, 50, 51, 126].map((n) => line(n, T0 + DAY + 600, 9)));
  });

  it('are added to the stored readings', async () => {
    await importLate([10, 38, 60].map((n) => line(n, T0 + DAY + 60, 10)));
  });
});
