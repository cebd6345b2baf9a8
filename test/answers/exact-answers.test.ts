import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startLab } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import { checkAnswers } from './check-answers.ts';
import { GROUPS, history, lateImport, PROBES, question } from './several-days.ts';

/** Each history is some weeks of samples in its own context, and the late imports that follow. */
const HISTORIES = Math.ceil(FUZZ_CASES / 50);

const contexts = Array.from({ length: HISTORIES }, (_, i) => `${CONTEXT}${i}`);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [] });
  const probes = PROBES.map((id) => ({ id }));
  for (const context of contexts) await lab.apply({ context, groups: GROUPS, probes });
  await lab.addUser({ ...ADA, username: 'eve' }, contexts);
});

afterAll(() => lab.close());

describe('toppers of many days', () => {
  it('equal plain sums of the lines, also after late samples are imported', async () => {
    let run = 0;
    const isExact = fc.asyncProperty(
      history,
      fc.array(fc.tuple(lateImport, fc.array(question, { minLength: 3, maxLength: 3 })), {
        minLength: 4,
        maxLength: 4,
      }),
      fc.array(question, { minLength: 12, maxLength: 12 }),
      async (first, later, always) => {
        const context = contexts[run] ?? '';
        const asker = { lab, context, username: 'eve' };
        run += 1;
        await lab.importSamples(first, { context });
        const lines = [...first];
        await checkAnswers({ ...asker, lines, questions: always });
        for (const [{ engine, lines: added }, now] of later) {
          await lab.importSamples(added, { context, engine });
          lines.push(...added);
          // The blocks of the earlier questions are cached, so a stale block would show here.
          await checkAnswers({ ...asker, lines, questions: [...always, ...now] });
        }
      },
    );
    await fc.assert(isExact, { numRuns: HISTORIES, endOnFailure: true });
  });
});
