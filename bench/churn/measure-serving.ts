import { strictEqual } from 'node:assert/strict';
import { figuresOf } from '../measures/statistics.ts';
import { showProgress } from '../reports/progress.ts';
import { type Served, serve } from '../systems/served.ts';
import type { ChurnTotals } from '../traffic/churn-files.ts';
import { type ChurnShape, churnKeys } from '../traffic/churn-traffic.ts';
import { askDay, CHURN_CASES, type ChurnCase, warmUp } from './questions.ts';

export type CaseFigures = {
  readonly name: string;
  /** Each on a server that has read no data yet. Milliseconds. */
  readonly cold: { readonly median: number; readonly most: number };
  /** On one server that has answered others of the same kind. */
  readonly warm: { readonly median: number; readonly most: number };
};

export type ServingFigures = {
  readonly cases: readonly CaseFigures[];
  /** Of the server that was asked all of it; null where the machine does not tell. */
  readonly peakBytes: number | null;
};

const COLD_RUNS = 3;
const WARM_RUNS = 9;

/** Asks `serve` with default settings, one question after the other. */
export async function measureServing(
  databaseUrl: string,
  shape: ChurnShape,
  totals: ChurnTotals,
): Promise<ServingFigures> {
  const cold = new Map<ChurnCase, number[]>();
  for (const each of CHURN_CASES) {
    showProgress(`asking, cold: ${each.name}`);
    cold.set(each, await coldTimes(databaseUrl, each));
  }
  showProgress('asking all of it on one server');
  return withServer(databaseUrl, async (server) => {
    const day = await askDay(server);
    strictEqual(day.keyCount, churnKeys(shape), 'every address must be counted');
    strictEqual(day.total, totals.bytes, 'every byte must be counted');
    const warm = new Map<ChurnCase, number[]>();
    // In turns, so that what one needs in memory is there beside what the others need.
    for (let turn = 0; turn <= WARM_RUNS; turn += 1) {
      for (const each of CHURN_CASES) {
        const ms = await timeOf(() => each.ask(server, turn));
        if (turn > 0) warm.set(each, [...(warm.get(each) ?? []), ms]);
      }
    }
    const cases = CHURN_CASES.map((each) => ({
      name: each.name,
      cold: shown(cold.get(each)),
      warm: shown(warm.get(each)),
    }));
    return { cases, peakBytes: await server.peakBytes() };
  });
}

async function coldTimes(databaseUrl: string, each: ChurnCase): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < COLD_RUNS; turn += 1) {
    await withServer(databaseUrl, async (server) => {
      times.push(await timeOf(() => each.ask(server, turn)));
    });
  }
  return times;
}

async function withServer<T>(
  databaseUrl: string,
  work: (server: Served) => Promise<T>,
): Promise<T> {
  const server = await serve(databaseUrl);
  try {
    await warmUp(server);
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function shown(times: readonly number[] = []): { median: number; most: number } {
  return { median: figuresOf(times).median, most: Math.max(...times) };
}
