import { selectKeyReadings } from '../../db/queries/select-key-readings.ts';
import type { ReadSession, TimeBound } from '../../db/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import { setWide, wideLanes } from '../../segments/codes/lanes.ts';
import { type Answer, answerQuestions, type Question } from '../../topk/answer-questions.ts';
import { boundOf } from '../../topk/block-page.ts';
import type { UnitReadings } from '../../topk/fold-units.ts';
import { openUnits } from '../../topk/open-units.ts';
import type { MeterRead, ReadPlan } from './read-plan.ts';

export type SampleQuestions = {
  readonly read: MeterRead;
  readonly plan: ReadPlan;
  readonly questions: readonly Question[];
  readonly bound: TimeBound | null;
};

/** The same answers by SQL from the samples themselves, for slices that are not packed yet. */
export async function answerFromSamples(
  session: ReadSession,
  { read, plan, questions, bound }: SampleQuestions,
): Promise<Answer[]> {
  const sliceIds = [...plan.sliceIds].sort((a, b) => a - b);
  const rows = await selectKeyReadings(session, [{ ...read, sliceIds }], bound);
  return answerQuestions(openUnits(toUnits(rows), read.fold), questions);
}

type KeyReadingRow = { shard: number; keyId: number; value: string; count: string };

/** As one block, in which every number is wide. */
function toUnits(rows: readonly KeyReadingRow[]): UnitReadings[] {
  if (rows.length === 0) return [];
  const byShard = groupBy(rows, ({ shard }) => shard);
  const shards = Math.max(...byShard.keys()) + 1;
  const ids = new Uint32Array(rows.length);
  const shardEnds = new Uint32Array(shards);
  const [values, counts] = [wideLanes(rows.length), wideLanes(rows.length)];
  let at = 0;
  for (let shard = 0; shard < shards; shard += 1) {
    const ofShard = (byShard.get(shard) ?? []).toSorted((a, b) => a.keyId - b.keyId);
    for (const { keyId, value, count } of ofShard) {
      ids[at] = keyId;
      setWide(values, at, BigInt(value));
      setWide(counts, at, BigInt(count));
      at += 1;
    }
    shardEnds[shard] = at;
  }
  const column = { values, counts, bound: boundOf(values), countBound: boundOf(counts) };
  return [{ ids, shardEnds, column, sign: 1 }];
}
