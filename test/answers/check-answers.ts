import { expect } from 'vitest';
import type { TopperBody } from '../support/http/answers.ts';
import type { RestParameters } from '../support/http/rest-parameters.ts';
import { ADA, CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { plainToppers } from '../support/reference/plain-topper.ts';
import {
  type ReferenceAnswer,
  type ReferenceQuestion,
  referenceTopper,
} from '../support/reference/reference-topper.ts';
import type { Question } from './several-days.ts';

export type Checked = {
  readonly lab: TestService;
  readonly context?: string;
  readonly username?: string;
  /** All lines imported into available slices. */
  readonly lines: readonly Line[];
  readonly questions: readonly Question[];
};

/**
 * Compares each answer, percentiles included, with plain sums of all lines: those given here, and
 * those that the lab recorded. However many segments a topper reads, one statement reads its
 * blocks, one its percentiles, and one its listed keys. Returns the statements of all questions.
 */
export async function checkAnswers({
  lab,
  context = CONTEXT,
  username = ADA.username,
  lines,
  questions,
}: Checked): Promise<readonly string[]> {
  const plainly = plainToppers(lab, context, questions);
  const all = lab.watchStatements();
  for (const [i, asked] of questions.entries()) {
    const statements = lab.watchStatements();
    const answer = await lab.topper({ ...restParameters(asked), username, context });
    const pageReads = statements().filter((text) => text.includes('segment_pages'));
    const expected = restBody(referenceTopper(lines, asked), asked);
    expect(answer, shown(asked)).toEqual(expected);
    const keys = answer.keys.map(({ percentiles, ...key }) => key);
    const plain = { ...asked, ranks: [] };
    expect({ ...answer, keys }).toEqual(plainly[i] && restBody(plainly[i], plain));
    const most = asked.ranks && asked.ranks.length > 0 ? 3 : 2;
    expect(pageReads.length, shown(asked)).toBeLessThanOrEqual(most);
  }
  return all();
}

const shown = ({ group, ...asked }: Question): string => `${group.name}: ${JSON.stringify(asked)}`;

/** The question as parameters of the REST endpoint. */
const restParameters = (asked: Question): RestParameters => ({
  counter_group: asked.group.guid,
  meter: asked.meter,
  resolve_keys: false,
  window_fromts: asked.from,
  window_tots: asked.to,
  maxitems: asked.maxItems ?? 100,
  probe_id: asked.probe,
  key_filter: asked.match,
  inverse_key_filter: asked.exclude,
  get_percentiles: asked.ranks ?? [],
});

const integer = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** The body that the endpoint returns for the answer. */
const restBody = (
  { others, keys }: ReferenceAnswer,
  { group: { guid }, meter: index, ranks = [] }: ReferenceQuestion,
): TopperBody => ({
  counter_group: guid,
  meter: index,
  sysgrouptotal: integer(others),
  keys: keys.map(({ key, metric, percentiles }) => ({
    key,
    metric: integer(metric),
    ...(ranks.length > 0 && {
      percentiles: percentiles.map(({ rank, value }) => ({ rank, value: integer(value) })),
    }),
  })),
});
