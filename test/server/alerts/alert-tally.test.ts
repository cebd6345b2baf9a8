import { expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { AlertTally } from '../../../server/alerts/alert-metrics.ts';

it('counts time without progress as lag, if there are rules', () => {
  let nowMs = 1_000;
  const tally = new AlertTally(() => nowMs);
  tally.rules = 1;
  tally.lagOf.set(1, 300);
  nowMs += LIMITS.alertStallMs;
  expect(tally.lagSeconds).toBe(300);
  nowMs += 1_000;
  expect(tally.lagSeconds).toBe(300 + LIMITS.alertStallMs / 1_000 + 1);
  tally.rules = 0;
  tally.lagOf.clear();
  expect(tally.lagSeconds).toBe(0);
  tally.rules = 1;
  tally.noteProgress();
  expect(tally.lagSeconds).toBe(0);
});
