import { serviceError } from '../../domain/errors.ts';
import { jsonInteger, writeJson } from '../../domain/text/write-json.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { BY_METRIC } from '../../domain/toppers/ranking.ts';
import { shownTotal, shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import { AnswerWriter } from '../../resolvers/answer-writer.ts';
import { beginEach } from '../../resolvers/begin-each.ts';
import type { ContextView } from '../../resolvers/contexts.ts';
import { attributesOf, type KeyAttribute, labelOf, readableOf } from '../../resolvers/keys.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import {
  keyPercentiles,
  matchingPercentiles,
  type PercentileValue,
} from '../../resolvers/toppers/topper-series.ts';
import {
  askTopper,
  matchingOf,
  type RankedKey,
  shownOthers,
  type Topper,
} from '../../resolvers/toppers/toppers.ts';
import { seriesCsv } from '../csv/series-csv.ts';
import { topperCsv } from '../csv/topper-csv.ts';
import type { Endpoint } from '../endpoint.ts';
import { JSON_HEADERS } from '../json-answer.ts';
import { type JsonSchema, refTo } from '../json-schema.ts';
import type { ListedKey, ListedTopper } from '../listed-topper.ts';
import {
  COUNTER_GROUP,
  decodeTopper,
  TOPPER_NAMES,
  type TopperOptions,
  topperParameters,
} from '../parameters/decode-topper.ts';
import { existingGroup } from './existing-group.ts';
import { topperCsvSchema, topperSchemas } from './topper-schema.ts';

const AVAILABLE_WINDOW = 'x-available-window';

const AVAILABLE_WINDOW_HEADER: Readonly<Record<string, JsonSchema>> = {
  [AVAILABLE_WINDOW]: {
    description:
      'Only if no key is listed: the time range in which the group, or the chosen probe, has data, ' +
      'as `FROM/TO` in seconds since 1970. Absent if there is no data.',
    required: false,
    schema: { type: 'string', pattern: '^\\d+/\\d+$' },
  },
};

export const topper: Endpoint<TopperOptions> = {
  path: '/api/topper/topper_request',
  operation: 'topper',
  title: 'Topper',
  tag: { name: 'Toppers', description: 'Ranked keys over a time window.' },
  description: 'The largest keys of a counter group by a meter over a time window.',
  timeout: ({ queryTimeoutSeconds }) => ({
    absent: queryTimeoutSeconds,
    minusOne: queryTimeoutSeconds,
  }),
  parameters: topperParameters,
  errors: ['counterGroupRequired', 'invalidWindow', 'invalidCounterGroup', 'invalidMeter'],
  answers: { 'application/json': refTo('Topper'), 'text/csv': topperCsvSchema },
  schemas: topperSchemas,
  answerHeaders: AVAILABLE_WINDOW_HEADER,
  require(parameters) {
    if (COUNTER_GROUP.read(parameters) === null) throw serviceError('counterGroupRequired');
  },
  decode: decodeTopper,
  async answer(scope, at, options) {
    const answer = await topperAnswer(scope, at, options);
    const rendered = await write(scope, answer, options);
    return answer.keys.length > 0 ? rendered : withAvailableWindow(rendered, answer.plan.available);
  },
};

/** Computes the topper that the options request. Errors: 422 for names that do not exist. */
export async function topperAnswer(
  scope: RequestScope,
  at: ContextView,
  options: TopperOptions,
): Promise<Topper> {
  return askTopper(scope, {
    group: await existingGroup(at, options.counterGroup),
    meterIndex: options.meterIndex,
    maxItems: options.maxItems,
    withoutCount: true,
    ranking: BY_METRIC,
    prefix: null,
    filter: options.filter,
    window: options.window,
    probe: options.probe,
    timeZone: options.timeZone,
    timeoutSeconds: null,
    names: TOPPER_NAMES,
  });
}

async function write(
  scope: RequestScope,
  topper: Topper,
  options: TopperOptions,
): Promise<Rendered> {
  const { format, resolveKeys } = options;
  switch (format.kind) {
    case 'series':
      return seriesCsv(scope, topper, { step: format.step, resolveKeys });
    case 'csv':
      return topperCsv(scope, await listedTopper(topper, options), options);
    case 'json':
      return topperJson(
        scope,
        await listedTopper(topper, options),
        await matchingAnswer(topper, options),
      );
    default:
      return format satisfies never;
  }
}

async function listedTopper(topper: Topper, options: TopperOptions): Promise<ListedTopper> {
  const { ranks } = options;
  const { keys, plan } = topper;
  const { loaders } = plan.meter.group.at;
  const percentiles =
    ranks.length > 0
      ? await beginEach(keys, (key) => keyPercentiles(key, ranks), loaders.pause)
      : [];
  return {
    guid: topper.plan.meter.group.guid,
    meterIndex: options.meterIndex,
    others: jsonInteger(shownOthers(topper)),
    keys: listedKeys(keys, percentiles, options),
  };
}

function* listedKeys(
  keys: readonly RankedKey[],
  percentiles: readonly Percentiles[],
  options: TopperOptions,
): Iterable<ListedKey> {
  for (const [i, key] of keys.entries()) yield listedKey(key, percentiles[i] ?? null, options);
}

type Percentiles = readonly PercentileValue[];

const renderPercentiles = (percentiles: Percentiles) =>
  percentiles.map(({ rank, value }) => ({ rank, value: jsonInteger(value) }));

/** Returns what the answer has of all keys that pass; null: it was not asked for. */
async function matchingAnswer(topper: Topper, { matching: isAsked, ranks }: TopperOptions) {
  if (!isAsked) return null;
  const { total } = await matchingOf(topper);
  return {
    total: jsonInteger(shownTotal(total, topper.plan.rule)),
    ...(ranks.length > 0 && {
      percentiles: renderPercentiles(await matchingPercentiles(topper.plan, ranks)),
    }),
  };
}

function listedKey(
  { key, value, topper: answer }: RankedKey,
  percentiles: Percentiles | null,
  options: TopperOptions,
): ListedKey {
  return {
    key: key.row.key,
    names: options.resolveKeys ? { readable: readableOf(key), label: labelOf(key) } : null,
    metric: jsonInteger(shownValue(value, answer.plan.rule)),
    description: key.row.description,
    attributes: options.attributes ? attributesOf(key) : null,
    percentiles: percentiles && renderPercentiles(percentiles),
  };
}

async function topperJson(
  scope: RequestScope,
  { guid, meterIndex, others, keys }: ListedTopper,
  matching: object | null,
): Promise<Rendered> {
  const writer = new AnswerWriter(scope);
  const head = writeJson({
    counter_group: guid,
    meter: meterIndex,
    sysgrouptotal: others,
    ...(matching && { matching }),
  });
  let lead = `${head.slice(0, -1)},"keys":[`;
  let batch: object[] = [];
  const write = () => {
    const text = writeJson(batch).slice(1, -1);
    batch = [];
    return writer.write(text === '' ? lead : `${lead}${text}`);
  };
  for (const key of keys) {
    batch.push(renderKey(key));
    if (batch.length < KEYS_AT_ONCE) continue;
    await write();
    lead = ',';
  }
  if (batch.length > 0 || lead !== ',') await write();
  await writer.write(']}');
  return { status: 200, headers: JSON_HEADERS, body: writer.end() };
}

/** Keys that take less than a millisecond. */
const KEYS_AT_ONCE = 200;

const renderKey = ({ key, names, metric, description, attributes, percentiles }: ListedKey) => ({
  key,
  ...names,
  metric,
  ...(description !== null && { description }),
  ...(attributes && { attributes: attributes.map(renderAttribute) }),
  ...(percentiles && { percentiles }),
});

const renderAttribute = ({ name, value }: KeyAttribute) => ({ attr_name: name, attr_value: value });

/** Decisions, section 11: an answer without keys tells its caller when there is data. */
const withAvailableWindow = (rendered: Rendered, available: Interval | null): Rendered => {
  if (!available) return rendered;
  const { from, to } = available;
  return { ...rendered, headers: { ...rendered.headers, [AVAILABLE_WINDOW]: `${from}/${to}` } };
};
