import { afterAll, beforeAll, it } from 'vitest';
import { DAY, group, meter, startLab, T0 } from '../support/lab/lab.ts';
import type { Line, TestService } from '../support/lab/service.ts';
import { checkAnswers } from './check-answers.ts';
import type { Question } from './several-days.ts';

const FIRST = meter(7, 2);
const SECOND = meter(3, 5);
const THIRD = meter(9, 11);

const BEFORE = group(1, { meters: [FIRST] });
const AFTER = group(1, { meters: [FIRST, SECOND, THIRD] });

const DAYS = 6;

const line = (day: number, key: string, values: Line['values']): Line => ({
  group: BEFORE.guid,
  key,
  ts: T0 + day * DAY + 5000,
  values,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [BEFORE] });
});

afterAll(() => lab.close());

/** Every meter over all days, part of a day, and a day that never gets readings of new meters. */
const QUESTIONS: readonly Question[] = AFTER.meters.flatMap(({ id }) =>
  [
    { from: T0, to: T0 + DAYS * DAY },
    { from: T0 + DAY + 3600, to: T0 + DAY + 9000 },
    { from: T0 + 2 * DAY, to: T0 + 3 * DAY },
  ].map((window) => ({ group: AFTER, meter: id, ...window, ranks: [0, 50, 100] })),
);

it('meters declared later have the readings imported since; the others have all', async () => {
  const days = [...Array(DAYS).keys()];
  const lines = days.flatMap((day) => ['a', 'b'].map((key) => line(day, key, { 7: day + 1 })));
  await lab.importSamples(lines);
  const first = QUESTIONS.filter(({ meter: id }) => id === FIRST.id);
  await checkAnswers({ lab, lines, questions: first });
  await lab.apply({ context: 'lab', groups: [AFTER] });
  await checkAnswers({ lab, lines, questions: QUESTIONS });
  const late = [
    line(1, 'a', { 3: -4, 9: 12 }),
    line(1, 'c', { 7: 5, 3: 6 }),
    line(4, 'b', { 9: -7 }),
    line(DAYS, 'b', { 3: 1, 7: 1, 9: 1 }),
  ];
  await lab.importSamples(late);
  await checkAnswers({ lab, lines: [...lines, ...late], questions: QUESTIONS });
  lab.emptyCaches();
  await checkAnswers({ lab, lines: [...lines, ...late], questions: QUESTIONS });
});
