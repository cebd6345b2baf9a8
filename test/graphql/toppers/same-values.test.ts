import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GroupsBody, TopperBody } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const [HOSTS, APPS, CROSS] = [1, 2, 3].map(guidOf) as [string, string, string];

const TYPES = Array.from({ length: 12 }, (_, i) => i + 1);
const METERS = TYPES.map((type) => meter(type, type));

let lab: TestService;

beforeAll(async () => {
  const values = (i: number) =>
    Object.fromEntries(TYPES.map((type) => [type, (i * 7919 * type) % 1000]));
  const lines = Array.from({ length: 200 }, (_, i) => ({
    ts: T0 + ((i * 37) % 3600),
    values: values(i),
    count: 1 + (i % 3),
    ...(i % 4 === 0 && { probe: 'p1' }),
  }));
  const host = (i: number) => `0A.00.00.${(i % 20).toString(16).toUpperCase().padStart(2, '0')}`;
  const app = (i: number) => ['00.50', '01.BB', '1F.90'][i % 3] ?? '';
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ip', meters: METERS }),
      group(2, { key_kind: 'port', meters: METERS, sampling_rate: 64 }),
      group(3, {
        key_kind: 'crosskey',
        meters: METERS,
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
      }),
    ],
    declaration: { probes: [{ id: 'p1' }] },
    lines: [
      ...lines.map((line, i) => ({
        ...line,
        group: HOSTS,
        key: host(i),
        label: `host ${i % 20}`,
        ...(i % 5 === 0 && { description: `number ${i}`, attributes: { n: String(i) } }),
      })),
      ...lines.map((line, i) => ({ ...line, group: APPS, key: app(i) })),
      ...lines.map((line, i) => ({ ...line, group: CROSS, key: `${host(i)}\\${app(i)}` })),
    ],
  });
});

afterAll(() => lab.close());

type Key = {
  key: string;
  readable: string;
  label: string;
  description: string | null;
  metric: number;
  attributes: { name: string; value: string }[];
  percentiles: { rank: number; value: number }[];
};

type Topper = {
  counterGroup: { guid: string };
  meter: { index: number };
  others: number;
  keys: Key[];
};

const DOCUMENT = `query ($guid: Guid!, $meter: Int!, $maxItems: Int!, $window: WindowInput,
    $filter: KeyFilterInput, $probe: String, $zone: String) {
  context(name: "lab") { counterGroup(guid: $guid) {
    topper(meter: $meter, maxItems: $maxItems, window: $window, filter: $filter, probe: $probe,
      timeZone: $zone) {
      counterGroup { guid } meter { index } others
      keys { key readable label description metric attributes { name value }
        percentiles(ranks: [95, 50, 0]) { rank value } } } } } }`;

/** The GraphQL answer with the field names of the REST endpoint. */
const inRestWords = ({ counterGroup, meter, others, keys }: Topper): TopperBody => ({
  counter_group: counterGroup.guid,
  meter: meter.index,
  sysgrouptotal: others,
  keys: keys.map(({ description, attributes, ...key }) => ({
    ...key,
    ...(description !== null && { description }),
    attributes: attributes.map(({ name, value }) => ({ attr_name: name, attr_value: value })),
  })),
});

/** Asks REST and GraphQL the same question. */
async function both(
  question: { guid: string; meter: number; maxItems: number },
  rest: RestParameters,
  graphql: Readonly<Record<string, unknown>>,
) {
  const { guid, meter, maxItems } = question;
  const asked = await lab.topper({
    counter_group: guid,
    meter,
    maxitems: maxItems,
    get_key_attributes: true,
    get_percentiles: '95,50,0',
    ...rest,
  });
  const { context } = await lab.data<{ context: { counterGroup: { topper: Topper } } }>(DOCUMENT, {
    ...question,
    ...graphql,
  });
  return [asked, inRestWords(context.counterGroup.topper)] as const;
}

describe('REST and GraphQL give the same values', () => {
  const question = { guid: HOSTS, meter: 2, maxItems: 5 };

  it.each<[string, RestParameters, Readonly<Record<string, unknown>>]>([
    ['the latest seconds', { recentsecs: 601 }, { window: { recentSeconds: 601 } }],
    [
      'a start and a duration',
      { window_fromts: T0, window_seconds: 900 },
      { window: { startingAt: { from: T0, seconds: 900 } } },
    ],
    [
      'dates in a zone',
      {
        from_date: 'Jul 15 2024 2:05 AM',
        to_date: 'Jul 15 2024 2:35:00 AM',
        time_zone: 'Europe/Berlin',
      },
      {
        window: { dates: { from: 'Jul 15 2024 2:05 AM', to: 'Jul 15 2024 2:35:00 AM' } },
        zone: 'Europe/Berlin',
      },
    ],
    ['no window', {}, {}],
    ['no window in a zone', { time_zone: 'Asia/Tokyo' }, { zone: 'Asia/Tokyo' }],
    [
      'a probe',
      { recentsecs: 9999, probe_id: 'p1' },
      { window: { recentSeconds: 9999 }, probe: 'p1' },
    ],
    [
      'patterns',
      { recentsecs: 9999, key_filter: '0[0-5]$', inverse_key_filter: '3$' },
      { window: { recentSeconds: 9999 }, filter: { match: '0[0-5]$', exclude: '3$' } },
    ],
  ])('for %s', async (_, rest, graphql) => {
    const [asked, answered] = await both(question, rest, graphql);
    expect(answered).toEqual(asked);
    expect(asked.keys.length).toBeGreaterThan(0);
  });

  it('of the groups and their meters', async () => {
    const { group_details } = await lab.ok<GroupsBody>('groups', { get_meter_info: true });
    const { context } = await lab.data<{ context: { counterGroups: Record<string, unknown>[] } }>(
      `{ context(name: "lab") { counterGroups { guid name bucket_size: bucketSize
        topper_bucket_size: topperBucketSize time_interval: timeInterval { from to }
        meters { id: index topcount: topCount name description units }
        crosskey { parentguid: parentGuid crosskeyguid_1: crosskeyGuid1 } } } }`,
    );
    const inGraphQL = group_details.map(({ crosskey = null, meters = [], ...rest }) => ({
      ...rest,
      crosskey,
      meters: meters.map(({ type: _, ...meter }) => meter),
    }));
    expect(context.counterGroups).toEqual(inGraphQL);
  });
});
