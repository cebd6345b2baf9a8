import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../schema/schema.ts';
import { parseAddress } from '../../web/src/address/address.ts';
import type { ContextChoice } from '../../web/src/data/choices.ts';
import {
  alertsQuery,
  storageQuery,
  topQuery,
  trendQuery,
} from '../../web/src/data/view-as/asked-queries.ts';
import { graphqlCurl } from '../../web/src/data/view-as/curl.ts';
import { overviewQuery } from '../../web/src/data/view-as/overview-query.ts';
import { topRest } from '../../web/src/data/view-as/rest-address.ts';

const GROUP = '4CD742B1-C1CA-4708-BE78-0FCA2EB01A86';

const addressOf = (more: string) =>
  parseAddress(`?context=lab&group=${GROUP}&meter=1&window=6h&tz=Europe/Berlin${more}`);

const DAY = { from: 1_000_000, to: 1_086_400 };

const EVERYTHING =
  '&node=copy&probe=p1&window=today&vs=week&rank=growth&prefix=24,48&top=50&find=a&hide=0A&hide=0B';

describe('this view as GraphQL', () => {
  it('has only what the view asks for', () => {
    const { document, variables } = topQuery(addressOf(''), null);
    expect(document.split('total')[0]).toBe(`query TopKeys(
  $context: String!
  $group: Guid!
  $meter: Int!
  $window: WindowInput!
  $items: Int!
  $charted: Int!
  $ranks: [Float!]!
) {
  context(name: $context) {
    counterGroup(guid: $group) {
      name
      topper(meter: $meter, window: $window, maxItems: $items) {
        window { from to }
        `);
    expect(variables).toEqual({
      context: 'lab',
      group: `{${GROUP}}`,
      meter: 1,
      window: { recentSeconds: 21_600 },
      items: 10,
      charted: 10,
      ranks: [95],
    });
  });

  it('has node, probe, zone, ranking, networks, filter and hidden keys where there are some', () => {
    expect(topQuery(parseAddress(EVERYTHING.replace('&', '?')), null).variables).toMatchObject({
      node: 'copy',
      probe: 'p1',
      window: { preset: 'TODAY' },
      timeZone: 'UTC',
      rankBy: 'GROWTH',
      rankAgo: 604_800,
      ago: 604_800,
      prefix: { ipv4: 24, ipv6: 48 },
      filter: { search: 'a', excludeKeys: ['0A', '0B'] },
      hidden: { keys: ['0A', '0B'] },
      hiddenItems: 2,
    });
  });

  const FLOWS = {
    name: 'lab',
    counterGroups: [
      {
        guid: '{393B5EBC-AB41-4387-8F31-8077DB917336}',
        topperBucketSize: 300,
        meters: [{ index: 0, type: 'VT_COUNTER' }],
      },
    ],
  } as unknown as ContextChoice;

  it.each(['', EVERYTHING, '&dr=1&match=x&except=y&alert=a&after=b'])('is valid: %s', (more) => {
    const address = addressOf(more);
    const queries = [
      topQuery(address, null),
      trendQuery(address, null),
      alertsQuery(address, 50),
      storageQuery(address),
      overviewQuery(address, null, DAY),
      overviewQuery(address, FLOWS, DAY),
    ];
    for (const { document, variables } of queries) {
      expect(validate(schema, parse(document))).toEqual([]);
      const declared = [...document.matchAll(/^ *(?:query \w+\()?\$(\w+):|, \$(\w+): [A-Z[]/gm)];
      expect(declared.length).toBeLessThanOrEqual(Object.keys(variables).length);
    }
  });
});

describe('this view as curl and REST', () => {
  it('is quoted for a shell', () => {
    const command = graphqlCurl('http://h/graphql', "o'neil", {
      document: "{ a(b: 'c') }",
      variables: {},
    });
    expect(command).toContain(`-H 'x-username: o'\\''neil'`);
    expect(command).toContain(`{"query":"{ a(b: '\\''c'\\'') }","variables":{}}'`);
  });

  it('names node, probe and hidden keys in REST, which says what it cannot', () => {
    const span = { from: 10, to: 20 };
    const rest = topRest(addressOf('&node=copy&probe=p1&hide=0A.01'), span);
    expect(new URLSearchParams('path' in rest ? rest.path.split('?')[1] : '')).toEqual(
      new URLSearchParams({
        context: 'lab',
        destination_node: 'copy',
        counter_group: `{${GROUP}}`,
        meter: '1',
        probe_id: 'p1',
        maxitems: '10',
        recentsecs: '21600',
        get_percentiles: '95',
        inverse_key_filter: '^0A\\.01$',
      }),
    );
    const flows = topRest(addressOf('&view=flows'), span);
    expect('path' in flows && flows.path).toContain('maxitems=20');
    expect(topRest(addressOf('&rank=peak'), span)).toEqual({
      why: 'REST ranks keys by their metric only.',
    });
  });
});
