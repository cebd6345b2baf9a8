import { mapSliced, type Sliced } from '../../domain/sliced.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { type BlockReadings, openBlocks, releaseAggregated } from './aggregate/aggregate-blocks.ts';
import { SharedArrays } from './aggregate/shared-arrays.ts';
import type { KeyedColumn } from './blocks/combine-blocks.ts';
import { sumBlocks } from './blocks/combine-blocks.ts';
import { answerKernelQuestions, type TopAnswer } from './rank-keys.ts';
import type { OrdinalSelection } from './select/select-rows.ts';

/** The blocks of a segment in a step. */
export type TrendPart = {
  readonly blocks: readonly BlockReadings[];
  /** From the segment's ordinals to those of all keys; null: they are the same. */
  readonly map: Uint32Array | null;
};

export type TrendSelection = OrdinalSelection & { readonly maxItems: number };

/**
 * The largest keys of a step, and the total of its other keys. sums: for each part with more than
 * one block, these blocks combined into one, so that later questions need not add them up again.
 */
export type TrendStep = {
  readonly answer: TopAnswer;
  readonly sums: readonly (KeyedColumn | null)[];
};

export function* rankTrend(
  aggregate: Aggregate,
  steps: readonly (readonly TrendPart[])[],
  question: TrendSelection,
): Sliced<TrendStep[]> {
  const arrays = new SharedArrays();
  return yield* mapSliced(steps, function* (parts) {
    const sums = yield* mapSliced(parts, function* ({ blocks }) {
      return blocks.length > 1 ? yield* sumBlocks(blocks, aggregate, arrays) : null;
    });
    const blocks = parts.flatMap(({ blocks: own, map }, i) => {
      const sum = sums[i];
      return (sum ? [unitOf(sum)] : own).map((block) => toUnion(block, map));
    });
    return { answer: yield* answerStep(blocks, aggregate, question), sums };
  });
}

const unitOf = ({ ids, column }: KeyedColumn): BlockReadings => ({ ids, column, sign: 1 });

function* answerStep(
  blocks: readonly BlockReadings[],
  aggregate: Aggregate,
  question: TrendSelection,
): Sliced<TopAnswer> {
  const aggregated = yield* openBlocks(blocks, aggregate);
  const [answer] = yield* answerKernelQuestions(aggregated, [
    { kind: 'top' as const, ...question },
  ]);
  releaseAggregated(aggregated);
  return answer as TopAnswer;
}

/** Done here, not by the thread that submits the task: a day of minutes has millions of ids. */
function toUnion(block: BlockReadings, map: Uint32Array | null): BlockReadings {
  if (map === null) return block;
  const { ids, column, sign } = block;
  const own = new Uint32Array(ids.length);
  for (let row = 0; row < ids.length; row += 1) own[row] = map[ids[row] as number] as number;
  return { ids: own, column, sign };
}
