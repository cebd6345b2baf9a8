import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildContext } from '../../packing/rebuild-context.ts';
import { verifyContext } from '../../packing/verify/verify-context.ts';
import { DAY, startLab } from '../support/lab.ts';
import { GROUPS, samples } from '../support/random-samples.ts';
import { CONTEXT, type TestService } from '../support/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: GROUPS });
});

afterAll(() => lab.close());

/** Days later or earlier than the others: late readings come to blocks that are coarse already. */
const days = fc.constantFrom(0, 0, 1, 3, -2, 40);
const imports = fc.array(
  fc.record({ lines: samples, days, engine: fc.constantFrom(0, 0, 1, 2), packs: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

const verify = () => verifyContext({ databaseUrl: lab.databaseUrl, context: CONTEXT });

describe('after any imports', () => {
  it('verify finds nothing, before a rebuild and after it', async () => {
    await fc.assert(
      fc.asyncProperty(imports, fc.boolean(), async (all, rebuilds) => {
        for (const { lines, days: shift, engine, packs } of all) {
          // What comes to a slice that is not packed stays in samples only.
          if (!packs) await lab.sql('update slices set packed = false where slice_id % 3 = 0');
          const moved = lines.map((line) => ({ ...line, ts: line.ts + shift * DAY }));
          await lab.importSamples(moved, { engine });
        }
        const before = await verify();
        expect(before.differences.slice(0, 3)).toEqual([]);
        if (!rebuilds) return;
        await rebuildContext({ databaseUrl: lab.databaseUrl, context: CONTEXT });
        const after = await verify();
        expect(after.differences.slice(0, 3)).toEqual([]);
        expect(after.unpackedSlices).toBe(0);
        expect(after.readings).toBeGreaterThanOrEqual(before.readings);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  }, 120_000);
});
