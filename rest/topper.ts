import { malformed, serviceError } from '../domain/errors.ts';
import type { KeyFilter } from '../domain/key-filter.ts';
import { compileKeyPattern } from '../domain/key-pattern.ts';
import { LIMITS } from '../domain/limits.ts';
import { parseRanks } from '../domain/percentile.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { shownValue } from '../domain/topper-arithmetic.ts';
import type { WindowRequest } from '../domain/window.ts';
import { attributesOf, labelOf, readableOf } from '../resolvers/keys.ts';
import type { ServiceSettings } from '../resolvers/request-scope.ts';
import type { TopperNames } from '../resolvers/topper-plan.ts';
import { keyPercentiles } from '../resolvers/topper-series.ts';
import { askTopper, type RankedKey, shownOthers } from '../resolvers/toppers.ts';
import { type CommonOptions, decodeCommon } from './decode-common.ts';
import { decodeWindow } from './decode-window.ts';
import type { Endpoint } from './endpoint.ts';
import { existingGroup } from './existing-group.ts';
import type { Parameters } from './parameters.ts';
import { jsonInteger } from './write-json.ts';

type TopperOptions = CommonOptions & {
  readonly counterGroup: string;
  readonly meterIndex: number;
  readonly maxItems: number;
  readonly resolveKeys: boolean;
  readonly attributes: boolean;
  readonly ranks: readonly number[];
  readonly filter: KeyFilter;
  readonly window: WindowRequest;
  readonly timeZone: string;
};

const NAMES: TopperNames = {
  maxItems: 'maxitems',
  timeZone: 'time_zone',
  match: 'key_filter',
  exclude: 'inverse_key_filter',
};

export const topper: Endpoint<TopperOptions> = {
  path: '/api/topper/topper_request',
  timeout: ({ queryTimeoutSeconds }) => ({
    absent: queryTimeoutSeconds,
    minusOne: queryTimeoutSeconds,
  }),
  require(parameters) {
    if (parameters.text('counter_group') === null) throw serviceError('counterGroupRequired');
  },
  decode: decodeTopper,
  async answer(scope, at, options) {
    const { meterIndex, maxItems, filter, window, probe, timeZone } = options;
    const group = await existingGroup(at, options.counterGroup);
    const answer = await askTopper(scope, {
      ...{ group, meterIndex, maxItems, filter, window, probe, timeZone },
      timeoutSeconds: null,
      names: NAMES,
    });
    return {
      counter_group: group.guid,
      meter: meterIndex,
      sysgrouptotal: jsonInteger(shownOthers(answer)),
      keys: await Promise.all(answer.keys.map((key) => renderKey(key, options))),
    };
  },
};

function decodeTopper(parameters: Parameters, settings: ServiceSettings): TopperOptions {
  // Decision 9: `flags` must be an integer and changes nothing.
  parameters.integer('flags');
  const timeZone = parameters.text('time_zone') ?? settings.timeZone;
  if (!isTimeZone(timeZone)) throw malformed('time_zone', 'an IANA time zone name', timeZone);
  const ceiling = settings.maxTopperItems;
  const maxItems = parameters.integerFrom('maxitems', 1, ceiling);
  return {
    ...decodeCommon(parameters),
    counterGroup: parameters.text('counter_group') ?? '',
    meterIndex: parameters.integer('meter') ?? 0,
    maxItems: maxItems ?? Math.min(LIMITS.defaultMaxItems, ceiling),
    resolveKeys: parameters.boolean('resolve_keys', true),
    attributes: parameters.boolean('get_key_attributes', false),
    ranks: decodeRanks(parameters),
    filter: decodeFilter(parameters),
    window: decodeWindow(parameters, timeZone),
    timeZone,
  };
}

function decodeRanks(parameters: Parameters): number[] {
  const items = parameters.list('get_percentiles');
  return items.length === 0 ? [] : parseRanks(items, 'get_percentiles');
}

/** A pattern that does not compile is 400, before names are looked up (decisions 3 and 26). */
function decodeFilter(parameters: Parameters): KeyFilter {
  const match = parameters.text(NAMES.match);
  const exclude = parameters.text(NAMES.exclude);
  if (match !== null) compileKeyPattern(match, NAMES.match);
  if (exclude !== null) compileKeyPattern(exclude, NAMES.exclude);
  return { ...(match !== null && { match }), ...(exclude !== null && { exclude }) };
}

async function renderKey(ranked: RankedKey, options: TopperOptions) {
  const { key, value, topper: answer } = ranked;
  const { description } = key.row;
  const percentiles = options.ranks.length > 0 && (await keyPercentiles(ranked, options.ranks));
  return {
    key: key.row.key,
    ...(options.resolveKeys && { readable: readableOf(key), label: labelOf(key) }),
    metric: jsonInteger(shownValue(value, answer.plan.rule)),
    ...(description !== null && { description }),
    ...(options.attributes && { attributes: attributesOf(key).map(renderAttribute) }),
    ...(percentiles && {
      percentiles: percentiles.map(({ rank, value: at }) => ({ rank, value: jsonInteger(at) })),
    }),
  };
}

const renderAttribute = ({ name, value }: { name: string; value: string }) => ({
  attr_name: name,
  attr_value: value,
});
