import { measure, type Subject } from '../measures/measure.ts';
import { casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, GROUP } from '../systems/declaration.ts';
import { createGraphClient } from '../systems/graph-client.ts';
import type { Service } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** The first is the ordinary topper, which the others are compared with. */
export const RANKINGS = [
  { name: 'METRIC', args: '' },
  { name: 'PEAK', args: 'rankBy: PEAK' },
  { name: 'PERCENTILE 95', args: 'rankBy: PERCENTILE' },
  { name: 'PERCENTILE 50', args: 'rankBy: PERCENTILE, percentile: 50' },
  { name: 'GROWTH', args: 'rankBy: GROWTH, ago: $ago' },
  { name: 'DECLINE', args: 'rankBy: DECLINE, ago: $ago' },
  { name: 'NEW', args: 'rankBy: NEW, ago: $ago' },
] as const;

type RankingName = (typeof RANKINGS)[number]['name'];

export type RankingsCase = {
  readonly window: string;
  readonly medians: readonly {
    readonly name: RankingName;
    readonly warmMs: number;
    readonly coldMs: number;
  }[];
};

function queryOf(args: string): string {
  const ago = args.includes('$ago') ? ', $ago: Int' : '';
  return `query ($context: String!, $group: Guid!, $window: WindowInput!${ago}) {
    context(name: $context) { counterGroup(guid: $group) {
      topper(window: $window, maxItems: 100 ${args}) { total others keyCount keys { key rankValue metric } }
    } }
  }`;
}

/** Windows of the usual lengths; changes are those since a day before. */
export async function measureRankings(
  shape: TrafficShape,
  service: Service,
  quick: boolean,
): Promise<RankingsCase[]> {
  const { empty } = service;
  if (!empty) throw new Error('the product has no caches that could be emptied');
  const client = createGraphClient(service.url);
  const cases: RankingsCase[] = [];
  for (const { window, variant, question } of casesOf(shape)) {
    if (variant !== 'plain') continue;
    showProgress(`measuring: ${window}`);
    const { from, to } = question;
    // Of a week the window before has no data: a day earlier most of both has some.
    const variables = {
      context: CONTEXT,
      group: GROUP,
      ago: 86_400,
      window: { interval: { from, to } },
    };
    const subjects = RANKINGS.flatMap(({ name, args }): Subject<string>[] => {
      const run = () => client.ask(queryOf(args), variables);
      return [
        { name: `${name} warm`, run, least: quick ? 3 : 20, most: quick ? 3 : 100 },
        { name: `${name} cold`, before: empty, run, least: quick ? 2 : 8, most: quick ? 2 : 20 },
      ];
    });
    const figures = await measure(subjects);
    const median = (name: string): number => figures.get(name)?.median ?? Number.NaN;
    cases.push({
      window,
      medians: RANKINGS.map(({ name }) => ({
        name,
        warmMs: median(`${name} warm`),
        coldMs: median(`${name} cold`),
      })),
    });
  }
  client.close();
  return cases;
}
