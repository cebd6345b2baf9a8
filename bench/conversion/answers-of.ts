import { type Answer, difference } from '../questions/answer.ts';
import { casesOf } from '../questions/cases.ts';
import { showProgress } from '../reports/progress.ts';
import type { Product } from '../systems/product.ts';
import { startService } from '../systems/service.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** Answers by window and variant. */
export type Answers = ReadonlyMap<string, Answer>;

/** Asks a product's server the questions of `toppers`. */
export async function answersOf(
  databaseUrl: string,
  shape: TrafficShape,
  product: Product,
): Promise<Answers> {
  showProgress('asking all questions');
  const service = await startService(databaseUrl, product);
  try {
    const answers = new Map<string, Answer>();
    for (const { window, variant, question } of casesOf(shape)) {
      const ask = await service.prepare(question);
      const keyCount = await service.countKeys(question);
      answers.set(`${window}, ${variant}`, { ...(await ask()), keyCount });
    }
    return answers;
  } finally {
    await service.close();
  }
}

/** Error: an answer differs after the conversion. */
export function compareAnswers(before: Answers, after: Answers): void {
  for (const [name, answer] of before) {
    const converted = after.get(name);
    const differing = converted ? difference(answer, converted) : 'it was not asked';
    if (differing !== null) throw new Error(`${name}: before and after: ${differing}`);
  }
}
