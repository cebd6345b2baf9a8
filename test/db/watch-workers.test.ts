import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchWorkers } from '../../db/session/watch-workers.ts';
import { LIMITS } from '../../domain/limits.ts';

describe('a watch on the workers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Duration of a check. */
  const LOOK_MS = 10;

  /** A coordinator that gives these answers in order, and then repeats the last. */
  function watched(...looks: readonly (boolean | Error)[]) {
    let asked = 0;
    const query = vi.fn(async () => {
      const answer = looks[Math.min(asked, looks.length - 1)];
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (answer instanceof Error) throw answer;
      return { rows: [{ answer }] };
    });
    const silences: Error[] = [];
    const control = { query } as unknown as Pick<Pool, 'query'>;
    const watch = () => watchWorkers(control, (error) => silences.push(error));
    return { query, silences, watch };
  }

  const pass = (looks: number) =>
    vi.advanceTimersByTimeAsync(looks * (LIMITS.workerLookMs + LOOK_MS));

  it('sends no check during quick reads', async () => {
    const { query, watch } = watched(false);
    watch()();
    await pass(3);
    expect(query).not.toHaveBeenCalled();
  });

  it('continues while all workers answer, and reports once when one does not', async () => {
    const { query, silences, watch } = watched(true, true, false);
    watch();
    await pass(2);
    expect(silences).toEqual([]);
    await pass(5);
    expect(query).toHaveBeenCalledTimes(3);
    expect(silences).toMatchObject([{ code: 'BACKEND' }]);
  });

  it('treats a check without an answer in time as silence', async () => {
    const { silences, watch } = watched(new Error('Query read timeout'));
    watch();
    await pass(1);
    expect(silences).toMatchObject([{ code: 'BACKEND' }]);
  });

  it('does not treat a refused check as silence', async () => {
    const denied = Object.assign(new Error('permission denied'), { code: '42501' });
    const { silences, watch } = watched(denied);
    watch();
    await pass(4);
    expect(silences).toEqual([]);
  });

  it('sends one check for all concurrent watches', async () => {
    const { query, watch } = watched(true);
    watch();
    watch();
    await pass(1);
    expect(query).toHaveBeenCalledTimes(1);
  });
});
