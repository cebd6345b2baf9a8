import { measure, type Subject } from '../measures/measure.ts';
import type { Figures } from '../measures/statistics.ts';
import { type Answer, difference } from '../questions/answer.ts';
import { type Case, casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import type { TrafficShape } from '../traffic/traffic.ts';
import type { LoadedProduct, ProductName } from './load-product.ts';

export type MeasuredProduct = ProductName | `${ProductName}, cold`;

export type ProbesCase = Pick<Case, 'window' | 'variant'> & {
  readonly figures: Readonly<Partial<Record<MeasuredProduct, Figures>>>;
};

/** Compares the answers of the products, and takes their times in turns. */
export async function measureProbes(
  shape: TrafficShape,
  products: readonly LoadedProduct[],
  quick: boolean,
): Promise<ProbesCase[]> {
  const cases = casesOf(shape).filter(({ variant }) => variant === 'plain');
  for (const each of cases) {
    showProgress(`comparing the answers: ${each.window}`);
    await compareAnswers(each, products);
  }
  const measured: ProbesCase[] = [];
  for (const { window, variant, question } of cases) {
    showProgress(`measuring: ${window}`);
    const subjects: Subject<MeasuredProduct>[] = [];
    for (const { name, service } of products) {
      const run = await service.prepare(question);
      subjects.push({ name, run, ...(quick ? FEW : WARM) });
      if (!service.empty) continue;
      subjects.push({ name: `${name}, cold`, before: service.empty, run, ...(quick ? FEW : COLD) });
    }
    measured.push({ window, variant, figures: Object.fromEntries(await measure(subjects)) });
  }
  return measured;
}

const WARM = { least: 50, most: 300 };
const COLD = { least: 15, most: 90 };
const FEW = { least: 5, most: 5 };

/** Error: two products answer differently. */
async function compareAnswers(
  { window, question }: Case,
  products: readonly LoadedProduct[],
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
