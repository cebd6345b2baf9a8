import { serviceError } from '../domain/errors.ts';
import { shownValue } from '../domain/topper-arithmetic.ts';
import { attributesOf, type KeyAttribute, labelOf, readableOf } from '../resolvers/keys.ts';
import type { Rendered } from '../resolvers/request-scope.ts';
import { keyPercentiles } from '../resolvers/topper-series.ts';
import { askTopper, type RankedKey, shownOthers } from '../resolvers/toppers.ts';
import {
  COUNTER_GROUP,
  decodeTopper,
  TOPPER_NAMES,
  type TopperOptions,
  topperParameters,
} from './decode-topper.ts';
import type { Endpoint } from './endpoint.ts';
import { existingGroup } from './existing-group.ts';
import { jsonAnswer } from './json-answer.ts';
import { refTo } from './json-schema.ts';
import type { ListedKey, ListedTopper } from './listed-topper.ts';
import { topperCsv } from './topper-csv.ts';
import { topperCsvSchema, topperSchemas } from './topper-schema.ts';
import { jsonInteger } from './write-json.ts';

export const topper: Endpoint<TopperOptions> = {
  path: '/api/topper/topper_request',
  operation: 'topper',
  title: 'Topper',
  description: 'The largest keys of a counter group by a meter over a time window.',
  timeout: ({ queryTimeoutSeconds }) => ({
    absent: queryTimeoutSeconds,
    minusOne: queryTimeoutSeconds,
  }),
  parameters: topperParameters,
  errors: ['counterGroupRequired', 'invalidWindow', 'invalidCounterGroup', 'invalidMeter'],
  answers: { 'application/json': refTo('Topper'), 'text/csv': topperCsvSchema },
  schemas: topperSchemas,
  require(parameters) {
    if (COUNTER_GROUP.read(parameters) === null) throw serviceError('counterGroupRequired');
  },
  decode: decodeTopper,
  async answer(scope, at, options) {
    const { meterIndex, maxItems, filter, window, probe, timeZone } = options;
    const group = await existingGroup(at, options.counterGroup);
    const answer = await askTopper(scope, {
      ...{ group, meterIndex, maxItems, filter, window, probe, timeZone },
      timeoutSeconds: null,
      names: TOPPER_NAMES,
    });
    const keys = await Promise.all(answer.keys.map((key) => listedKey(key, options)));
    return write(
      { guid: group.guid, meterIndex, others: jsonInteger(shownOthers(answer)), keys },
      options,
    );
  },
};

async function listedKey(ranked: RankedKey, options: TopperOptions): Promise<ListedKey> {
  const { key, value, topper: answer } = ranked;
  const percentiles = options.ranks.length > 0 && (await keyPercentiles(ranked, options.ranks));
  return {
    key: key.row.key,
    names: options.resolveKeys ? { readable: readableOf(key), label: labelOf(key) } : null,
    metric: jsonInteger(shownValue(value, answer.plan.rule)),
    description: key.row.description,
    attributes: options.attributes ? attributesOf(key) : null,
    percentiles: percentiles
      ? percentiles.map(({ rank, value: at }) => ({ rank, value: jsonInteger(at) }))
      : null,
  };
}

async function write(listed: ListedTopper, options: TopperOptions): Promise<Rendered> {
  switch (options.format) {
    case 'csv':
      return topperCsv(listed, options);
    case 'json':
      return jsonAnswer(200, {
        counter_group: listed.guid,
        meter: listed.meterIndex,
        sysgrouptotal: listed.others,
        keys: listed.keys.map(renderKey),
      });
  }
}

const renderKey = ({ key, names, metric, description, attributes, percentiles }: ListedKey) => ({
  key,
  ...names,
  metric,
  ...(description !== null && { description }),
  ...(attributes && { attributes: attributes.map(renderAttribute) }),
  ...(percentiles && { percentiles }),
});

const renderAttribute = ({ name, value }: KeyAttribute) => ({ attr_name: name, attr_value: value });
