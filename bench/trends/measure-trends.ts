import { spreadOf } from '../measures/statistics.ts';
import { casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, GROUP } from '../systems/declaration.ts';
import { createGraphClient, type GraphClient } from '../systems/graph-client.ts';
import type { Service } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** A day has this many steps of five minutes. */
const STEPS = 288;

const BUCKET_SECONDS = 60;

export type MeasuredTrends = {
  readonly shape: TrafficShape;
  readonly service: Service;
  readonly quick: boolean;
};

/** The median of a question's time, and the mean of the server's CPU time. */
export type Cost = { readonly ms: number; readonly cpuMs: number };

export type TrendCase = {
  readonly window: string;
  readonly steps: number;
  readonly topper: { readonly warm: Cost; readonly cold: Cost };
  readonly trend: { readonly warm: Cost; readonly cold: Cost };
};

const SELECTION = '{ window { from to } total others keyCount keys { rank key label metric } }';

const TOPPER = `query ($context: String!, $group: Guid!, $window: WindowInput!) {
  context(name: $context) { counterGroup(guid: $group) {
    topper(window: $window, maxItems: 10) ${SELECTION} } } }`;

const TREND = `query ($context: String!, $group: Guid!, $window: WindowInput!, $every: Int!) {
  context(name: $context) { counterGroup(guid: $group) {
    topperTrend(window: $window, every: $every, maxItems: 10) ${SELECTION} } } }`;

/** Measures trends and one topper of the whole window. */
export async function measureTrends({
  shape,
  service,
  quick,
}: MeasuredTrends): Promise<TrendCase[]> {
  const client = createGraphClient(service.url);
  const cases: TrendCase[] = [];
  for (const { window: name, variant, question } of casesOf(shape)) {
    if (variant !== 'plain') continue;
    showProgress(`measuring: ${name}`);
    const { from, to } = question;
    const every = Math.ceil((to - from) / STEPS / BUCKET_SECONDS) * BUCKET_SECONDS;
    const window = { interval: { from, to } };
    const asked = { context: CONTEXT, group: GROUP, window };
    const topper = await costsOf(service, () => client.ask(TOPPER, asked), quick);
    const trend = await costsOf(service, () => client.ask(TREND, { ...asked, every }), quick);
    cases.push({ window: name, steps: await stepsOf(client, { ...asked, every }), topper, trend });
  }
  client.close();
  return cases;
}

async function stepsOf(client: GraphClient, variables: object): Promise<number> {
  type Answer = { context: { counterGroup: { topperTrend: readonly object[] } } };
  return (await client.ask<Answer>(TREND, variables)).context.counterGroup.topperTrend.length;
}

async function costsOf(
  { empty, usage }: Service,
  run: () => Promise<unknown>,
  quick: boolean,
): Promise<{ warm: Cost; cold: Cost }> {
  if (!empty) throw new Error('the product has no caches that could be emptied');
  const repeat = async (runs: number, before: () => Promise<void>): Promise<Cost> => {
    const times: number[] = [];
    const start = await usage();
    for (let i = 0; i < runs; i += 1) {
      await before();
      const started = performance.now();
      await run();
      times.push(performance.now() - started);
    }
    const end = await usage();
    // CPU time is reported in steps of 10 ms, so measure it over all runs together.
    const cpuMs = start && end ? (1000 * (end.cpuSeconds - start.cpuSeconds)) / runs : Number.NaN;
    return { ms: spreadOf(times).median, cpuMs };
  };
  const cold = await repeat(quick ? 2 : 8, empty);
  await repeat(quick ? 1 : 10, async () => undefined);
  return { cold, warm: await repeat(quick ? 3 : 40, async () => undefined) };
}
