import type { Question } from '../questions/question.ts';
import type { Service, ServiceClient } from '../systems/service.ts';
import { type Figures, figuresOf } from './statistics.ts';

/** Times of a small request, alone and beside large ones. */
export type Isolation = {
  readonly idle: Figures;
  readonly busy: Figures;
  /** Toppers answered meanwhile. */
  readonly toppers: number;
};

/** Minimum of requests and of time, so that the requests overlap several toppers. */
const REQUESTS = 300;
const LEAST_MS = 3_000;

/** Measures the time slices endpoint, idle and while a client asks for topper after topper. */
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
  // The first request opens the connection.
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
  // stop() reports a failure.
  asking.catch(() => undefined);
  return {
    stop() {
      stopped = true;
      return asking;
    },
  };
}
