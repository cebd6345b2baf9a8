import { strictEqual } from 'node:assert/strict';
import { spreadOf } from '../measures/statistics.ts';
import { showProgress } from '../reports/progress.ts';
import type { Product } from '../systems/product.ts';
import { type Served, serve } from '../systems/served.ts';
import type { ChurnTotals } from '../traffic/churn-files.ts';
import { type ChurnShape, churnKeys } from '../traffic/churn-traffic.ts';
import { askDay, CHURN_CASES, type ChurnCase, warmUp } from './questions.ts';

export type RequestFigures = {
  readonly median: number;
  readonly most: number;
  /** Median CPU time of the server, all threads. NaN if the machine does not report it. */
  readonly cpu: number;
};

/** Times in milliseconds. */
export type CaseFigures = {
  readonly name: string;
  /** Each run on a new server that has read no data yet. */
  readonly cold: RequestFigures;
  /** On one server that has already answered questions of the same kind. */
  readonly warm: RequestFigures;
};

export type ServingFigures = {
  readonly cases: readonly CaseFigures[];
  /** Peak of the server that was asked every question. null if the machine does not report it. */
  readonly peakBytes: number | null;
};

export type ServedProduct = { readonly databaseUrl: string; readonly product: Product };

type MeasuredRequest = { readonly ms: number; readonly cpuMs: number };

const COLD_RUNS = 3;
const WARM_RUNS = 9;

/** Asks a server with default settings one question after another. */
export async function measureServing(
  served: ServedProduct,
  shape: ChurnShape,
  totals: ChurnTotals,
): Promise<ServingFigures> {
  const cold = new Map<ChurnCase, MeasuredRequest[]>();
  for (const each of CHURN_CASES) {
    showProgress(`asking, cold: ${each.name}`);
    cold.set(each, await askCold(served, each));
  }
  showProgress('asking all of it on one server');
  return withServer(served, async (server) => {
    const day = await askDay(server);
    strictEqual(day.keyCount, churnKeys(shape), 'every address must be counted');
    strictEqual(day.total, totals.bytes, 'every byte must be counted');
    const warm = await askWarm(server);
    const cases = CHURN_CASES.map((each) => ({
      name: each.name,
      cold: figuresOfRequests(cold.get(each) ?? []),
      warm: figuresOfRequests(warm.get(each) ?? []),
    }));
    return { cases, peakBytes: (await server.usage())?.peakBytes ?? null };
  });
}

async function askCold(served: ServedProduct, each: ChurnCase): Promise<MeasuredRequest[]> {
  const asked: MeasuredRequest[] = [];
  for (let turn = 0; turn < COLD_RUNS; turn += 1) {
    await withServer(served, async (server) => {
      asked.push(await askMeasured(server, each, turn));
    });
  }
  return asked;
}

/** Asks the cases in turn, so that memory must hold what all of them need at the same time. */
async function askWarm(server: Served): Promise<ReadonlyMap<ChurnCase, MeasuredRequest[]>> {
  const warm = new Map<ChurnCase, MeasuredRequest[]>();
  for (let turn = 0; turn <= WARM_RUNS; turn += 1) {
    for (const each of CHURN_CASES) {
      const asked = await askMeasured(server, each, turn);
      if (turn > 0) warm.set(each, [...(warm.get(each) ?? []), asked]);
    }
  }
  return warm;
}

async function askMeasured(
  server: Served,
  { ask }: ChurnCase,
  turn: number,
): Promise<MeasuredRequest> {
  const before = await server.usage();
  const started = performance.now();
  await ask(server, turn);
  const ms = performance.now() - started;
  const after = await server.usage();
  const cpuMs = before && after ? 1000 * (after.cpuSeconds - before.cpuSeconds) : Number.NaN;
  return { ms, cpuMs };
}

async function withServer<T>(
  { databaseUrl, product }: ServedProduct,
  work: (server: Served) => Promise<T>,
): Promise<T> {
  const server = await serve(databaseUrl, product);
  try {
    await warmUp(server);
    return await work(server);
  } finally {
    await server.stop();
  }
}

function figuresOfRequests(asked: readonly MeasuredRequest[]): RequestFigures {
  const { median, most } = spreadOf(asked.map(({ ms }) => ms));
  return { median, most, cpu: spreadOf(asked.map(({ cpuMs }) => cpuMs)).median };
}
