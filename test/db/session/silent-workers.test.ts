import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SilentWorkers } from '../../../db/session/silent-workers.ts';
import { LIMITS } from '../../../domain/limits.ts';

/** Duration of a check. */
const CHECK_MS = 10;

const QUERY_TIMEOUT = new Error('Query read timeout');
const DENIED = Object.assign(new Error('permission denied'), { code: '42501' });

/** Two workers: segments with even numbers are on the first, the others on the second. */
const WORKERS = [1, 2].map((groupId) => ({ groupId, host: `w${groupId}`, port: 5432 }));

/** What a coordinator says of its workers, by name; an error: the check fails with it. */
type Said = Record<string, boolean | Error>;

function coordinator(said: Said) {
  let lists: Error | null = null;
  let places: Error | null = null;
  let looks = 0;
  const query = async (
    statement: string | { readonly text: string; readonly values: unknown[] },
    values: unknown[] = [],
  ) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text.includes('pg_dist_node')) {
      looks += 1;
      if (lists) throw lists;
      return { rows: WORKERS };
    }
    if (text.includes('pg_dist_placement')) {
      if (places) throw places;
      const [segments, silent] = values as [number[], number[]];
      return { rows: [{ answer: segments.some((id) => silent.includes(1 + (id % 2))) }] };
    }
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    const [name] = typeof statement === 'string' ? [] : statement.values;
    const answers = said[String(name)] ?? true;
    if (answers instanceof Error) throw answers;
    return { rows: [{ answers }] };
  };
  const failures: unknown[] = [];
  const control = { query } as unknown as Pick<Pool, 'query'>;
  const workers = new SilentWorkers(control, (error) => failures.push(error));
  return {
    workers,
    failures,
    looks: () => looks,
    lose: (error: Error) => {
      lists = error;
    },
    losePlaces: (error: Error) => {
      places = error;
    },
    /** Reads segments for as long as the test takes. Returns what the watch has reported. */
    read(...segmentIds: number[]) {
      const silences: Error[] = [];
      const end = workers.watch(segmentIds, (error) => silences.push(error));
      return { silences, end };
    },
  };
}

const BACKEND = { code: 'BACKEND' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (looks: number) =>
  vi.advanceTimersByTimeAsync(looks * (LIMITS.workerCheckMs + 2 * CHECK_MS));

describe('a read of pages', () => {
  it('has no worker checked if it is quick', async () => {
    const { read, looks } = coordinator({ w1: false });
    read(2).end();
    await pass(3);
    expect(looks()).toBe(0);
  });

  it('continues while all workers answer, and fails once when its own does not', async () => {
    const said: Said = {};
    const { read } = coordinator(said);
    const { silences } = read(2);
    await pass(2);
    expect(silences).toEqual([]);
    said['w1'] = false;
    await pass(5);
    expect(silences).toMatchObject([BACKEND]);
  });

  it('continues if only another worker does not answer', async () => {
    const { read } = coordinator({ w1: false });
    const { silences } = read(1, 3);
    await pass(5);
    expect(silences).toEqual([]);
  });

  it('fails if the check of its worker gets no answer in time', async () => {
    const { read } = coordinator({ w2: QUERY_TIMEOUT });
    const first = read(2);
    const second = read(2, 3);
    await pass(1);
    expect(first.silences).toEqual([]);
    expect(second.silences).toMatchObject([BACKEND]);
  });

  it('fails if the coordinator does not answer', async () => {
    const { read, lose } = coordinator({});
    lose(QUERY_TIMEOUT);
    const { silences } = read(2);
    await pass(1);
    expect(silences).toMatchObject([BACKEND]);
  });

  it('continues if the check is refused, which is reported once until it succeeds', async () => {
    const said: Said = { w1: DENIED };
    const { read, failures } = coordinator(said);
    const { silences } = read(2);
    await pass(4);
    expect(failures).toEqual([DENIED]);
    said['w1'] = true;
    await pass(1);
    said['w1'] = DENIED;
    await pass(2);
    expect(failures).toEqual([DENIED, DENIED]);
    expect(silences).toEqual([]);
  });

  it('shares its check with others', async () => {
    const { read, looks } = coordinator({});
    read(2);
    read(3);
    await pass(1);
    expect(looks()).toBe(1);
  });
});

describe('a later read', () => {
  it('fails at once if its worker is known to be silent, and no other does', async () => {
    const { workers, read, looks } = coordinator({ w1: false });
    read(2);
    await pass(1);
    for (let i = 0; i < 5; i += 1) await expect(workers.refuse([2])).rejects.toMatchObject(BACKEND);
    await expect(workers.refuse([3, 2])).rejects.toMatchObject(BACKEND);
    await workers.refuse([3]);
    expect(looks()).toBe(1);
  });

  it('succeeds once the worker answers, which is checked every second until then', async () => {
    const said: Said = { w1: false };
    const { workers, read, looks } = coordinator(said);
    read(2);
    await pass(4);
    expect(looks()).toBe(4);
    await expect(workers.refuse([2])).rejects.toMatchObject(BACKEND);
    said['w1'] = true;
    await pass(1);
    await workers.refuse([2]);
    await pass(5);
    expect(looks()).toBe(5);
  });

  it('fails too if the coordinator does not say which worker has its pages', async () => {
    const { workers, read, losePlaces } = coordinator({ w1: false });
    read(2);
    await pass(1);
    losePlaces(QUERY_TIMEOUT);
    await expect(workers.refuse([3])).rejects.toMatchObject(BACKEND);
  });

  it('causes no further checks once the watch is closed', async () => {
    const { workers, read, looks } = coordinator({ w1: false });
    read(2);
    await pass(1);
    workers.close();
    await pass(5);
    expect(looks()).toBe(1);
  });
});
