import { measure, type Subject } from '../measures/measure.ts';
import type { Figures } from '../measures/statistics.ts';
import { showProgress } from '../reports/progress.ts';
import { createGraphClient, type GraphClient } from '../systems/graph-client.ts';
import type { Service } from '../systems/service.ts';
import type { LoadedProduct, ProductName } from './load-product.ts';
import type { VersionCase } from './version-cases.ts';

export type MeasuredProduct = ProductName | `${ProductName}, cold`;

type ByProduct<Value> = Readonly<Partial<Record<MeasuredProduct, Value>>>;

export type MeasuredCase = {
  readonly name: string;
  readonly figures: ByProduct<Figures>;
  /** CPU time of the server per question, all threads. */
  readonly cpuMs: ByProduct<number>;
};

export type ServingProduct = Pick<LoadedProduct, 'name' | 'version' | 'service'>;

type Asked = ServingProduct & { readonly client: GraphClient };

/** Compares the answers of the products to each question, then measures them in turn. */
export async function measureVersions(
  cases: readonly VersionCase[],
  products: readonly ServingProduct[],
  quick: boolean,
): Promise<MeasuredCase[]> {
  const asked = products.map((each) => ({ ...each, client: createGraphClient(each.service.url) }));
  const measured: MeasuredCase[] = [];
  for (const each of cases) {
    showProgress(`measuring: ${each.name}`);
    await compareAnswers(each, asked);
    const subjects = asked.flatMap((product) => subjectsOf(each, product, quick));
    const figures = Object.fromEntries(await measure(subjects));
    measured.push({ name: each.name, figures, cpuMs: await cpuOfAll(subjects) });
  }
  for (const { client } of asked) client.close();
  return measured;
}

type ProductSubject = Subject<MeasuredProduct> & { readonly service: Service };

const WARM = { least: 50, most: 300 };
const COLD = { least: 15, most: 90 };
const FEW = { least: 5, most: 5 };

function subjectsOf(
  { warm, query, variables }: VersionCase,
  { name, service, client }: Asked,
  quick: boolean,
): ProductSubject[] {
  const { empty } = service;
  if (!empty) throw new Error('the product has no caches that could be emptied');
  const run = (): Promise<unknown> => client.ask(query, variables);
  const cold: ProductSubject = {
    name: `${name}, cold`,
    service,
    before: empty,
    run,
    ...(quick ? FEW : COLD),
  };
  return warm ? [{ name, service, run, ...(quick ? FEW : WARM) }, cold] : [cold];
}

async function cpuOfAll(subjects: readonly ProductSubject[]): Promise<MeasuredCase['cpuMs']> {
  const all: Partial<Record<MeasuredProduct, number>> = {};
  for (const subject of subjects) all[subject.name] = await cpuOf(subject);
  return all;
}

/** Mean of several runs, because CPU time is reported in steps of 10 ms. NaN: not reported. */
async function cpuOf({ service, before, run, least }: ProductSubject): Promise<number> {
  const started = await service.usage();
  for (let runs = 0; runs < least; runs += 1) {
    await before?.();
    await run();
  }
  const ended = await service.usage();
  if (!started || !ended) return Number.NaN;
  return (1000 * (ended.cpuSeconds - started.cpuSeconds)) / least;
}

/** Error: the answers of two products differ. */
async function compareAnswers(
  { name, query, variables }: VersionCase,
  products: readonly Asked[],
): Promise<void> {
  let first: string | null = null;
  for (const { version, client } of products) {
    const answer = JSON.stringify(await client.ask(query, variables));
    first ??= answer;
    if (answer === first) continue;
    throw new Error(
      `${name}: ${version} differs: ${first.slice(0, 2000)}\n${answer.slice(0, 2000)}`,
    );
  }
}
