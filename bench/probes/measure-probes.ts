import { measure, type Subject } from '../measures/measure.ts';
import type { Figures } from '../measures/statistics.ts';
import { type Answer, difference } from '../questions/answer.ts';
import { type Case, casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import type { Service } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import type { LoadedProduct, ProductName } from './load-product.ts';

export type MeasuredProduct = ProductName | `${ProductName}, cold`;

type ByProduct<Value> = Readonly<Partial<Record<MeasuredProduct, Value>>>;

export type ProbesCase = Pick<Case, 'window'> & {
  readonly figures: ByProduct<Figures>;
  /** CPU time of the server per question, all threads. */
  readonly cpuMs: ByProduct<number>;
};

export type ServingProduct = Pick<LoadedProduct, 'name' | 'version' | 'service'>;

/** Compares the answers of the products, then measures them in turn. */
export async function measureProbes(
  shape: TrafficShape,
  products: readonly ServingProduct[],
  quick: boolean,
): Promise<ProbesCase[]> {
  const cases = casesOf(shape).filter(({ variant }) => variant === 'plain');
  for (const each of cases) {
    showProgress(`comparing the answers: ${each.window}`);
    await compareAnswers(each, products);
  }
  const measured: ProbesCase[] = [];
  for (const { window, question } of cases) {
    showProgress(`measuring: ${window}`);
    const subjects: ProductSubject[] = [];
    for (const { name, service } of products) {
      const run = await service.prepare(question);
      subjects.push({ name, service, run, ...(quick ? FEW : WARM) });
      if (!service.empty) continue;
      const cold = { name: `${name}, cold`, service, before: service.empty, run } as const;
      subjects.push({ ...cold, ...(quick ? FEW : COLD) });
    }
    const figures = Object.fromEntries(await measure(subjects));
    measured.push({ window, figures, cpuMs: await cpuOfAll(subjects) });
  }
  return measured;
}

type ProductSubject = Subject<MeasuredProduct> & { readonly service: Service };

const WARM = { least: 50, most: 300 };
const COLD = { least: 15, most: 90 };
const FEW = { least: 5, most: 5 };

async function cpuOfAll(subjects: readonly ProductSubject[]): Promise<ProbesCase['cpuMs']> {
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
  { window, question }: Case,
  products: readonly ServingProduct[],
): Promise<void> {
  let first: Answer | null = null;
  for (const { version, service } of products) {
    const ask = await service.prepare(question);
    const answer = { ...(await ask()), keyCount: await service.countKeys(question) };
    first ??= answer;
    const differing = difference(first, answer);
    if (differing !== null) throw new Error(`${window}: ${version} differs: ${differing}`);
  }
}
