import { describe, expect, it } from 'vitest';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { PendingFlows } from '../../../ingest/feed/pending-flows.ts';
import type { Flow } from '../../../ingest/flows/flow.ts';
import { MINUTE } from '../../support/lab/feed-lab.ts';

const HOUR_MS = 3_600_000;

/** A flow without duration; `at` is in seconds after MINUTE. */
const flow = (at: number): Flow => ({
  startUs: (MINUTE + at) * 1e6,
  durationUs: 0,
  protocol: 6,
  ports: null,
  portRule: 'destination',
  originator: { address: '0A.00.00.01' as KeyText, bytes: 1, packets: 1 },
  responder: { address: 'C6.33.64.07' as KeyText, bytes: 0, packets: 0 },
});

/** Pending flows on two clocks, in milliseconds since the wall clock showed MINUTE. */
function pendingFlows(latenessSeconds: number = LIMITS.feedLatenessSeconds) {
  const pending = new PendingFlows({ latenessSeconds, holdMs: LIMITS.feedHoldMs });
  const due = (times: { wallMs: number; monotonicMs: number }): number =>
    pending.takeDue({ ...times, wallMs: MINUTE * 1000 + times.wallMs }).length;
  return { pending, due };
}

describe('a flow whose bucket is not over', () => {
  it.each([
    ['moves on', 0],
    ['steps back', -HOUR_MS],
    ['steps forward', HOUR_MS],
  ])('waits for feedHoldMs when the wall clock %s', (_, stepMs) => {
    const { pending, due } = pendingFlows();
    pending.add(flow(0), 0);
    const justBefore = LIMITS.feedHoldMs - 1;
    expect(due({ wallMs: stepMs + justBefore, monotonicMs: justBefore })).toBe(0);
    expect(due({ wallMs: stepMs + LIMITS.feedHoldMs, monotonicMs: LIMITS.feedHoldMs })).toBe(1);
  });

  it('waits as long in an nfdump output of which nobody knows how it was made', () => {
    const { pending, due } = pendingFlows();
    pending.addOfOutput(flow(0), 0);
    const wallMs = -HOUR_MS;
    expect(due({ wallMs, monotonicMs: LIMITS.feedHoldMs - 1 })).toBe(0);
    expect(due({ wallMs, monotonicMs: LIMITS.feedHoldMs })).toBe(1);
  });
});

describe('a flow whose bucket is over in the time of the stream', () => {
  it('is due once the wall clock agrees', () => {
    const { pending, due } = pendingFlows();
    pending.add(flow(0), 0);
    pending.add(flow(90), 0);
    expect(due({ wallMs: 89_999, monotonicMs: 0 })).toBe(0);
    expect(due({ wallMs: 90_000, monotonicMs: 0 })).toBe(1);
  });
});

describe('the lateness', () => {
  it.each([
    ['none', 0, 120],
    ['the default', 30, 120],
    ['a longer one', 31, 121],
    ['an hour', 3600, 3690],
    ['the longest', LIMITS.feedLatenessCeilingSeconds, 86_490],
  ])('%s lets a flow of a stream that stands still wait as long', (_, lateness, seconds) => {
    const { pending, due } = pendingFlows(lateness);
    pending.add(flow(0), 0);
    const justBefore = seconds * 1000 - 1;
    expect(due({ wallMs: justBefore, monotonicMs: justBefore })).toBe(0);
    expect(due({ wallMs: seconds * 1000, monotonicMs: seconds * 1000 })).toBe(1);
  });

  it.each([0, 30, 600, 3600])(
    'of %d seconds is waited for after the end of a bucket',
    (lateness) => {
      const { pending, due } = pendingFlows(lateness);
      const overMs = (60 + lateness) * 1000;
      pending.add(flow(0), 0);
      pending.add(flow(60 + lateness), overMs - 1);
      expect(due({ wallMs: overMs - 1, monotonicMs: overMs - 1 })).toBe(0);
      expect(due({ wallMs: overMs, monotonicMs: overMs })).toBe(1);
    },
  );
});
