import { Client } from 'undici';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, GROUP, TOKEN, USER } from '../systems/declaration.ts';
import type { Service } from '../systems/service.ts';

/** The encodings that are asked for; identity: the answer as it is. */
const ENCODINGS = ['identity', 'gzip', 'br'] as const;

type Encoding = (typeof ENCODINGS)[number];

/** Answers of about this size: so many keys, asked for so often in a round. */
const SIZES = [
  { name: '1 kB', keys: 12, times: 200 },
  { name: '20 kB', keys: 260, times: 60 },
  { name: '500 kB', keys: 6_500, times: 10 },
] as const;

const ROUNDS = 6;

const QUERY = `query ($context: String!, $group: Guid!, $keys: Int!, $window: WindowInput!) {
  context(name: $context) { counterGroup(guid: $group) {
    topper(window: $window, maxItems: $keys) { total keys { rank key readable label metric } }
  } }
}`;

export type CompressionCase = {
  readonly size: string;
  /** Whether each answer is another one; otherwise it is remembered. */
  readonly isNew: boolean;
  readonly encoding: Encoding;
  readonly bytes: number;
  /** CPU of the server for an answer, in all of its threads. */
  readonly cpuMs: number;
};

/** Measures the server's CPU for answers of several sizes, with encodings in turn. */
export async function measureCompression(
  service: Service,
  { from, to }: { readonly from: number; readonly to: number },
  quick: boolean,
): Promise<CompressionCase[]> {
  const client = new Client(service.url, { pipelining: 1 });
  const credentials = Buffer.from(`${USER}:${TOKEN}`).toString('base64');
  const ask = async (keys: number, earlier: number, encoding: Encoding): Promise<number> => {
    const interval = { from: from - earlier, to: to - earlier };
    const variables = { context: CONTEXT, group: GROUP, keys, window: { interval } };
    const { statusCode, body } = await client.request({
      path: '/graphql',
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
      body: JSON.stringify({ query: QUERY, variables }),
    });
    const answer = await body.arrayBuffer();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    return answer.byteLength;
  };
  const cpuSeconds = async () => (await service.usage())?.cpuSeconds ?? Number.NaN;
  const cases: CompressionCase[] = [];
  for (const { name, keys, times } of SIZES) {
    for (const isNew of [false, true]) {
      showProgress(`measuring: ${name}${isNew ? ', new' : ''}`);
      const totals = new Map(ENCODINGS.map((encoding) => [encoding, { cpu: 0, bytes: 0 }]));
      let asked = 0;
      const rounds = quick ? 1 : ROUNDS;
      // The first round only warms up.
      for (let round = 0; round <= rounds; round += 1) {
        for (const encoding of ENCODINGS) {
          const before = await cpuSeconds();
          let bytes = 0;
          for (let time = 0; time < times; time += 1) {
            asked += 1;
            // Each new answer is of another hour: a week has more than are asked for.
            bytes = await ask(keys, isNew ? 60 * asked : 0, encoding);
          }
          const total = totals.get(encoding);
          if (round === 0 || !total) continue;
          total.cpu += (await cpuSeconds()) - before;
          total.bytes = bytes;
        }
      }
      for (const [encoding, { cpu, bytes }] of totals) {
        cases.push({ size: name, isNew, encoding, bytes, cpuMs: (cpu * 1000) / (rounds * times) });
      }
    }
  }
  await client.close();
  return cases;
}
