import { type LoadRequest, openLoadClient } from './load-client.ts';
import { type Figures, figuresOf } from './statistics.ts';

type Load = {
  readonly url: string;
  /** Sent in turn. */
  readonly requests: readonly LoadRequest[];
  readonly seconds: number;
};

export type OpenLoad = Load & { readonly perSecond: number };

export type OpenLoadFigures = {
  readonly perSecond: number;
  readonly answered: Figures;
  readonly refused: Figures;
  readonly statuses: Readonly<Record<string, number>>;
};

const TICK_MS = 5;

/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered: a client that waits for
 * its answer before it asks again would spare a slow server. Times count from when a request was
 * due, so that a late client hides nothing.
 */
export async function openLoad(load: OpenLoad): Promise<OpenLoadFigures> {
  const client = openLoadClient(load.url);
  const answered: number[] = [];
  const refused: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const total = Math.round(load.perSecond * load.seconds);
  const asked: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * load.perSecond;
      while (asked.length < total && asked.length <= due) {
        const index = asked.length;
        const dueAt = startedAt + (index / load.perSecond) * 1000;
        asked.push(askOne(index, dueAt));
      }
      if (asked.length < total) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(asked);
  await client.close();
  return {
    perSecond: load.perSecond,
    answered: figuresOf(answered),
    refused: figuresOf(refused),
    statuses,
  };

  async function askOne(index: number, dueAt: number): Promise<void> {
    const status = await client.ask(inTurn(load.requests, index));
    (status === '200' ? answered : refused).push(performance.now() - dueAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

/**
 * Returns the answers per second to a number of callers, each of which asks again as soon as it is
 * answered. Uses the client of `openLoad`, whose CPU time also limits the possible rate.
 */
export async function possibleRate({
  url,
  requests,
  seconds,
  callers,
}: Load & { readonly callers: number }): Promise<number> {
  const client = openLoadClient(url);
  const startedAt = performance.now();
  const isOver = (): boolean => performance.now() - startedAt >= seconds * 1000;
  let answered = 0;
  const call = async (caller: number): Promise<void> => {
    for (let index = caller; !isOver(); index += callers) {
      const status = await client.ask(inTurn(requests, index));
      if (status !== '200') throw new Error(`${callers} callers were answered with ${status}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const rate = answered / ((performance.now() - startedAt) / 1000);
  await client.close();
  return rate;
}

function inTurn(requests: readonly LoadRequest[], index: number): LoadRequest {
  const each = requests[index % requests.length];
  if (!each) throw new Error('there must be something to ask');
  return each;
}
