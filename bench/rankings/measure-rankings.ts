import { measure } from '../measures/measure.ts';
import { casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, GROUP } from '../systems/declaration.ts';
import { createGraphClient } from '../systems/graph-client.ts';
import type { Service } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** Arguments of a topper, and their name in reports; user: who asks, if not the usual user. */
export type ToppersWith = {
  readonly name: string;
  readonly args: string;
  /** What is selected besides. */
  readonly more?: string;
  readonly user?: string;
};

/** The first is the ordinary topper, with which the others are compared. */
export const RANKINGS: readonly ToppersWith[] = [
  { name: 'METRIC', args: '' },
  { name: 'PEAK', args: 'rankBy: PEAK' },
  { name: 'PERCENTILE 95', args: 'rankBy: PERCENTILE' },
  { name: 'PERCENTILE 50', args: 'rankBy: PERCENTILE, percentile: 50' },
  { name: 'GROWTH', args: 'rankBy: GROWTH, ago: $ago' },
  { name: 'DECLINE', args: 'rankBy: DECLINE, ago: $ago' },
  { name: 'NEW', args: 'rankBy: NEW, ago: $ago' },
];

/** The ordinary topper, and toppers of networks instead of addresses. */
export const NETWORKS: readonly ToppersWith[] = [
  { name: 'addresses', args: '' },
  { name: '/24', args: 'prefix: { ipv4: 24 }' },
  { name: '/16', args: 'prefix: { ipv4: 16 }' },
  { name: '/8', args: 'prefix: { ipv4: 8 }' },
  { name: '/16 by PERCENTILE 95', args: 'prefix: { ipv4: 16 }, rankBy: PERCENTILE' },
  { name: '/16 by GROWTH', args: 'prefix: { ipv4: 16 }, rankBy: GROWTH, ago: $ago' },
];

/** Users who are limited to networks, and the networks. */
export const LIMITED: ReadonlyMap<string, string> = new Map([
  ['half', '0.0.0.0/1'],
  ['some', '10.0.0.0/8'],
]);

/** Toppers of networks by a filter, and by who is limited to them. */
export const LIMITS: readonly ToppersWith[] = [...LIMITED].flatMap(([user, network]) => [
  { name: `cidr ${network}`, args: `filter: { cidr: ["${network}"] }` },
  { name: `limited to ${network}`, args: '', user },
]);

/** About half of the addresses. */
const FILTERED = `filter: { cidr: ["0.0.0.0/1"] }`;

/** A filtered topper, and the same with all keys that pass together. */
export const MATCHING: readonly ToppersWith[] = [
  { name: 'topper', args: FILTERED },
  { name: 'total', args: FILTERED, more: 'matching { total share keyCount }' },
  { name: 'series', args: FILTERED, more: 'matching { series { at value } }' },
  { name: 'peak', args: FILTERED, more: 'matching { peak }' },
];

export type MeasuredToppers = {
  readonly shape: TrafficShape;
  readonly service: Service;
  readonly toppers: readonly ToppersWith[];
  readonly quick: boolean;
};

export type RankingsCase = {
  readonly window: string;
  readonly medians: readonly {
    readonly name: string;
    readonly warmMs: number;
    readonly coldMs: number;
  }[];
};

function queryOf({ args, more = '' }: ToppersWith): string {
  const ago = args.includes('$ago') ? ', $ago: Int' : '';
  return `query ($context: String!, $group: Guid!, $window: WindowInput!${ago}) {
    context(name: $context) { counterGroup(guid: $group) {
      topper(window: $window, maxItems: 100 ${args}) { total others keyCount keys { key rankValue metric } ${more} }
    } }
  }`;
}

/** Measures the windows of `casesOf`. Changes are relative to a day before. */
export async function measureRankings({
  shape,
  service,
  toppers,
  quick,
}: MeasuredToppers): Promise<RankingsCase[]> {
  const { empty } = service;
  if (!empty) throw new Error('the product has no caches that could be emptied');
  const clients = new Map(toppers.map(({ user }) => [user, createGraphClient(service.url, user)]));
  const cases: RankingsCase[] = [];
  for (const { window, variant, question } of casesOf(shape)) {
    if (variant !== 'plain') continue;
    showProgress(`measuring: ${window}`);
    const { from, to } = question;
    // The window before a week has no data. One day earlier, both windows mostly have data.
    const variables = {
      context: CONTEXT,
      group: GROUP,
      ago: 86_400,
      window: { interval: { from, to } },
    };
    const run = (topper: ToppersWith) => {
      const client = clients.get(topper.user);
      if (!client) throw new Error('each user has a client');
      return () => client.ask(queryOf(topper), variables);
    };
    // In two passes, so that no cold run empties the caches between warm runs.
    const warm = await measure(
      toppers.map((topper) => ({
        name: topper.name,
        run: run(topper),
        least: quick ? 3 : 20,
        most: quick ? 3 : 100,
      })),
    );
    const cold = await measure(
      toppers.map((topper) => ({
        name: topper.name,
        before: empty,
        run: run(topper),
        least: quick ? 2 : 8,
        most: quick ? 2 : 20,
      })),
    );
    cases.push({
      window,
      medians: toppers.map(({ name }) => ({
        name,
        warmMs: warm.get(name)?.median ?? Number.NaN,
        coldMs: cold.get(name)?.median ?? Number.NaN,
      })),
    });
  }
  for (const client of clients.values()) client.close();
  return cases;
}
