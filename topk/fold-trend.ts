import type { Fold } from '../domain/toppers/meter-type.ts';
import { answerQuestions, type TopAnswer } from './answer-questions.ts';
import { releaseFolded, type UnitReadings } from './fold/fold-units.ts';
import { openUnits } from './fold/open-units.ts';
import type { KeySelection } from './select/select-rows.ts';

/** A block of a segment. map: from a segment's ordinals to those of all keys; null: the same. */
export type MappedUnit = UnitReadings & { readonly map: Uint32Array | null };

export type TrendQuestion = KeySelection & { readonly maxItems: number };

/** Returns the largest keys of each step, and the total of its other keys. */
export const foldTrend = (
  fold: Fold,
  steps: readonly (readonly MappedUnit[])[],
  question: TrendQuestion,
): TopAnswer[] => steps.map((units) => foldStep(fold, units, question));

function foldStep(fold: Fold, units: readonly MappedUnit[], question: TrendQuestion): TopAnswer {
  const folded = openUnits(units.map(toUnion), fold);
  const [answer] = answerQuestions(folded, [{ kind: 'top', ...question }]);
  releaseFolded(folded);
  if (answer?.kind !== 'top') throw new Error('another question was answered');
  return answer;
}

/** Done here, not by the thread that submits the task: a day of minutes has millions of ids. */
function toUnion({ ids, map, column, sign }: MappedUnit): UnitReadings {
  if (map === null) return { ids, column, sign };
  const own = new Uint32Array(ids.length);
  for (let row = 0; row < ids.length; row += 1) own[row] = map[ids[row] as number] as number;
  return { ids: own, column, sign };
}
