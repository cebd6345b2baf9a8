import { strictEqual } from 'node:assert/strict';
import { showProgress } from '../reports/progress.ts';
import { createGraphClient } from '../systems/graph-client.ts';
import { createHttpClient } from '../systems/http-client.ts';
import type { Service } from '../systems/service.ts';
import { createUint32, DAY_SECONDS, START, type TrafficShape } from '../traffic/traffic.ts';
import { nearlyWhole, type Window } from './version-cases.ts';

export type CertifiedHeads = {
  readonly windows: number;
  /** How many were answered by the heads of segments. null: the product does not tell. */
  readonly certified: number | null;
};

/** Counts answers from the heads of segments for windows that are not whole segments. */
const METRIC = 'countergraph_certified_heads_total';

/**
 * Asks for the 100 largest keys of windows that are a day or everything but for less than an hour
 * at each end. Error: an answer differs from the one that also counts all keys.
 */
export async function countCertified(
  service: Service,
  shape: TrafficShape,
  windows: number,
): Promise<CertifiedHeads> {
  showProgress('asking for windows of nearly whole segments');
  const client = createGraphClient(service.url);
  const random = windowsNearly(shape);
  const before = await readMetric(service);
  for (let asked = 0; asked < windows; asked += 1) {
    const { query, fullQuery, variables } = nearlyWhole(random());
    await service.empty?.();
    const { keyCount: _, ...full } = topperOf(await client.ask<InGroup>(fullQuery, variables));
    strictEqual(
      JSON.stringify(topperOf(await client.ask<InGroup>(query, variables))),
      JSON.stringify(full),
      'the answer must be that of a question that counts all keys',
    );
  }
  client.close();
  const after = await readMetric(service);
  return { windows, certified: before === null || after === null ? null : after - before };
}

type InGroup = { readonly context: { readonly counterGroup: { readonly topper: Topper } } };
type Topper = { readonly keyCount?: number };

const topperOf = ({ context }: InGroup): Topper => context.counterGroup.topper;

/** Days and all data in turn. */
function windowsNearly({ days, seed }: TrafficShape): () => Window {
  const random = createUint32(seed);
  const below = (limit: number): number => Math.floor((random() / 2 ** 32) * limit);
  let isDay = false;
  return () => {
    isDay = !isDay;
    const day = below(days);
    const from = START + (isDay ? day : 0) * DAY_SECONDS;
    const to = START + (isDay ? day + 1 : days) * DAY_SECONDS;
    return { from: from + 1 + below(3599), to: to - 1 - below(3599) };
  };
}

async function readMetric({ url }: Service): Promise<number | null> {
  const client = createHttpClient(url);
  try {
    const text = await client.get('/metrics');
    const value = new RegExp(`^${METRIC} (\\d+)$`, 'm').exec(text)?.[1];
    return value === undefined ? null : Number(value);
  } finally {
    client.close();
  }
}
