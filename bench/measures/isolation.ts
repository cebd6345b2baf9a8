import type { Question } from '../questions/question.ts';
import type { Service, ServiceClient } from '../systems/service.ts';
import { type Figures, figuresOf } from './statistics.ts';

/** How long a small request takes, alone and beside large ones. */
export type Isolation = {
  readonly idle: Figures;
  readonly busy: Figures;
  /** Toppers that were answered meanwhile. */
  readonly toppers: number;
};

/** At least as many requests, and for at least as long: several toppers are to be met. */
const REQUESTS = 300;
const LEAST_MS = 3_000;

/** Times of the time slices endpoint: idle, and beside a client that asks topper after topper. */
export async function measureIsolation(service: Service, large: Question): Promise<Isolation> {
  const client = service.connect();
  const other = service.connect();
  try {
    const idle = await timeSlices(client);
    const load = keepAsking(other, large);
    const busy = await timeSlices(client);
    return { idle, busy, toppers: await load.stop() };
  } finally {
    client.close();
    other.close();
  }
}

async function timeSlices(client: ServiceClient): Promise<Figures> {
  // The first one opens the connection.
  await client.timeSlices();
  const times: number[] = [];
  const begun = performance.now();
  while (times.length < REQUESTS || performance.now() - begun < LEAST_MS) {
    const started = performance.now();
    await client.timeSlices();
    times.push(performance.now() - started);
  }
  return figuresOf(times);
}

function keepAsking(client: ServiceClient, question: Question): { stop(): Promise<number> } {
  let stopped = false;
  const asking = (async () => {
    let answered = 0;
    while (!stopped) {
      await client.topper(question);
      answered += 1;
    }
    return answered;
  })();
  // What it fails with is told by stop().
  asking.catch(() => undefined);
  return {
    stop() {
      stopped = true;
      return asking;
    },
  };
}
