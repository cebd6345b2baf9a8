import { Agent, request } from 'node:http';
import { type Figures, figuresOf } from './statistics.ts';

export type LoadRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type OpenLoad = {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
  readonly perSecond: number;
  readonly seconds: number;
};

export type OpenLoadFigures = {
  readonly perSecond: number;
  readonly answered: Figures;
  readonly refused: Figures;
  readonly statuses: Readonly<Record<string, number>>;
};

/** Beyond it a crowd would be short of ports and not of a server. */
const MAX_SOCKETS = 2_000;

const TICK_MS = 5;

/**
 * Asks so many times a second, whatever becomes of what was asked before, as a crowd does: a client
 * that waits for its answer before it asks again spares a server that is slow. Times count from
 * when a request was due, so that a late client hides nothing.
 */
export async function openLoad(load: OpenLoad): Promise<OpenLoadFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const [answered, refused]: [number[], number[]] = [[], []];
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
        asked.push(askOne(load, index, dueAt));
      }
      if (asked.length < total) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await Promise.all(asked);
  agent.destroy();
  return {
    perSecond: load.perSecond,
    ...{ answered: figuresOf(answered), refused: figuresOf(refused), statuses },
  };

  async function askOne({ url, requests }: OpenLoad, index: number, dueAt: number): Promise<void> {
    const each = requests[index % requests.length];
    if (!each) throw new Error('there must be something to ask');
    const status = await statusOf(url, each, agent);
    (status === '200' ? answered : refused).push(performance.now() - dueAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

/** The status of an answer that was received to its end, or what went wrong. */
const statusOf = (url: string, asked: LoadRequest, agent: Agent): Promise<string> =>
  new Promise((resolve) => {
    const { method, path, headers, body } = asked;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = request(url + path, { agent, method, headers: { ...headers, ...length } });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    outgoing.on('response', (response) => {
      response.on('error', (error) => resolve(error.message));
      response.on('end', () => resolve(String(response.statusCode))).resume();
    });
    outgoing.end(body);
  });
