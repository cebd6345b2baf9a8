import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Answer, exactNumber } from '../questions/answer.ts';
import type { Question } from '../questions/question.ts';
import { CONTEXT, GROUP, TOKEN, USER } from './declaration.ts';
import { createHttpClient, type HttpClient } from './http-client.ts';
import { type ProcessUsage, processUsage } from './process-usage.ts';
import { type Product, THIS_PRODUCT } from './product.ts';
import type { FromService, ToService } from './service-process.ts';
import type { System } from './system.ts';

export type Service = System & {
  /** Counts the keys with a reading that pass the filter, which the REST answer does not say. */
  countKeys(question: Question): Promise<number>;
  /** Empties the caches, so that the next topper is cold. null: the product has no such caches. */
  readonly empty: (() => Promise<void>) | null;
  /** Usage of its process so far. null if the machine does not report it. */
  usage(): Promise<ProcessUsage | null>;
  readonly url: string;
  /** Opens another client with its own connection. */
  connect(): ServiceClient;
  close(): Promise<void>;
};

export type ServiceClient = {
  topper(question: Question): Promise<Answer>;
  timeSlices(): Promise<void>;
  close(): void;
};

/** Starts a product's server on a database that holds the samples. */
export async function startService(
  databaseUrl: string,
  product: Product = THIS_PRODUCT,
): Promise<Service> {
  const child = fork(join(import.meta.dirname, 'service-process.js'), [product], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  const hear = (): Promise<FromService> => nextMessage(child);
  const ready = await hear();
  if (ready.kind !== 'ready') throw new Error(`the server began with "${ready.kind}"`);
  const client = createHttpClient(ready.url);
  const connect = (): ServiceClient => clientOf(createHttpClient(ready.url));
  const empty = async (): Promise<void> => {
    child.send('empty' satisfies ToService);
    await hear();
  };
  return {
    name: 'ours',
    url: ready.url,
    prepare: async (question) => () => askTopper(client, question),
    countKeys: (question) => countKeys(client, question),
    empty: ready.canEmpty ? empty : null,
    usage: async () => (child.pid === undefined ? null : processUsage(child.pid)),
    connect,
    async close() {
      client.close();
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** Error: the process ends before it sends a message. */
const nextMessage = (child: ChildProcess): Promise<FromService> =>
  new Promise((resolve, reject) => {
    const ended = (status: number | null): void => {
      reject(new Error(`the server under test ended with status ${status}`));
    };
    child.once('exit', ended);
    child.once('message', (message: FromService) => {
      child.off('exit', ended);
      resolve(message);
    });
  });

const clientOf = (client: HttpClient): ServiceClient => ({
  topper: (question) => askTopper(client, question),
  async timeSlices() {
    await client.get(`/api/time_slices/time_slices_request?${new URLSearchParams(IDENTITY)}`);
  },
  close: client.close,
});

const IDENTITY = { api_token: TOKEN, username: USER, context: CONTEXT };

/** The request's parameters without credentials. A failed comparison shows them. */
export function topperParameters(question: Question): Record<string, string> {
  const { from, to, meter, maxItems, filter, exclude, ranks } = question;
  return {
    counter_group: GROUP,
    meter: String(meter),
    maxitems: String(maxItems),
    window_fromts: String(from),
    window_tots: String(to),
    // The other systems return only keys and values, so do not request labels here either.
    resolve_keys: 'false',
    ...(filter && { key_filter: filter.pattern }),
    ...(exclude && { inverse_key_filter: exclude }),
    ...(ranks.length > 0 && { get_percentiles: ranks.join(',') }),
  };
}

type TopperBody = {
  readonly sysgrouptotal: number;
  readonly keys: readonly {
    readonly key: string;
    readonly metric: number;
    readonly percentiles?: readonly { readonly value: number }[];
  }[];
};

async function askTopper(client: HttpClient, question: Question): Promise<Answer> {
  const query = new URLSearchParams({ ...IDENTITY, ...topperParameters(question) });
  const body: TopperBody = JSON.parse(await client.get(`/api/topper/topper_request?${query}`));
  return {
    keys: body.keys.map(({ key, metric, percentiles = [] }) => ({
      key,
      value: exactNumber(metric),
      percentiles: percentiles.map(({ value }) => exactNumber(value)),
    })),
    others: exactNumber(body.sysgrouptotal),
    keyCount: null,
  };
}

const COUNT_KEYS = `query ($context: String!, $group: Guid!, $meter: Int!, $window: WindowInput!,
    $filter: KeyFilterInput) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topper(meter: $meter, window: $window, filter: $filter, maxItems: 1) { keyCount }
    }
  }
}`;

type CountBody = {
  readonly data: { context: { counterGroup: { topper: { keyCount: number } } } } | null;
};

async function countKeys(client: HttpClient, question: Question): Promise<number> {
  const { from, to, meter, filter, exclude } = question;
  const variables = {
    context: CONTEXT,
    group: GROUP,
    meter,
    window: { interval: { from, to } },
    filter: { match: filter?.pattern ?? '', exclude: exclude ?? '' },
  };
  const credentials = Buffer.from(`${USER}:${TOKEN}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/json' };
  const text = await client.post(
    '/graphql',
    headers,
    JSON.stringify({ query: COUNT_KEYS, variables }),
  );
  const { data }: CountBody = JSON.parse(text);
  if (!data) throw new Error(`the number of keys was not told: ${text}`);
  return data.context.counterGroup.topper.keyCount;
}
