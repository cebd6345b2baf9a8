import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compactContext } from '../../../store/merge/compact-context.ts';
import { DAY, startLab } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { GROUPS, samples } from '../../support/random/random-samples.ts';
import { nowInSeconds, rebuild, verify } from './verify-support.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: GROUPS });
});

afterAll(() => lab.close());

/** Days later or earlier than the others, so that late readings reach sealed slices. */
const days = fc.constantFrom(0, 0, 1, 3, -2, 40);
const imports = fc.array(fc.record({ lines: samples, days, engine: fc.constantFrom(0, 0, 1, 2) }), {
  minLength: 1,
  maxLength: 3,
});

const compact = () =>
  compactContext({ databaseUrl: lab.databaseUrl, context: CONTEXT, now: nowInSeconds });

describe('after any imports', () => {
  it('verify finds nothing, before and after a merge or rebuild', async () => {
    await fc.assert(
      fc.asyncProperty(imports, fc.constantFrom(compact, rebuild), async (all, change) => {
        for (const { lines, days: shift, engine } of all) {
          const moved = lines.map((line) => ({ ...line, ts: line.ts + shift * DAY }));
          await lab.importSamples(moved, { engine });
        }
        const before = await verify(lab);
        expect(before.differences.slice(0, 3)).toEqual([]);
        await change(lab);
        const after = await verify(lab);
        expect(after.differences.slice(0, 3)).toEqual([]);
        // Merged segments have each key and bucket only once.
        expect(after.samples).toBeLessThanOrEqual(before.samples);
        expect(after.segments).toBeLessThanOrEqual(before.segments);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 20), endOnFailure: true },
    );
  }, 120_000);
});
