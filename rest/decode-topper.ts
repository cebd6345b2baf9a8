import { malformed } from '../domain/errors.ts';
import type { KeyFilter } from '../domain/key-filter.ts';
import { compileKeyPattern } from '../domain/key-pattern.ts';
import { LIMITS } from '../domain/limits.ts';
import { parseRanks } from '../domain/percentile.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import type { WindowRequest } from '../domain/window.ts';
import type { ServiceSettings } from '../resolvers/request-scope.ts';
import type { TopperNames } from '../resolvers/topper-plan.ts';
import { type CommonOptions, decodeCommon } from './decode-common.ts';
import { decodeWindow, WINDOW_PARAMETERS } from './decode-window.ts';
import {
  booleanParameter,
  integerParameter,
  type Parameter,
  rangeParameter,
  textParameter,
  wordParameter,
} from './parameter.ts';
import type { Parameters } from './parameters.ts';

export type TopperOptions = CommonOptions & {
  readonly counterGroup: string;
  readonly meterIndex: number;
  readonly maxItems: number;
  readonly resolveKeys: boolean;
  readonly attributes: boolean;
  readonly ranks: readonly number[];
  readonly filter: KeyFilter;
  readonly window: WindowRequest;
  readonly timeZone: string;
  readonly format: 'json' | 'csv';
};

export const TOPPER_NAMES: TopperNames = {
  maxItems: 'maxitems',
  timeZone: 'time_zone',
  match: 'key_filter',
  exclude: 'inverse_key_filter',
};

export const COUNTER_GROUP = textParameter({
  ...{ name: 'counter_group', meaning: 'the group', form: 'GUID', required: true },
  schema: { examples: ['{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}'] },
});

const ANY_METER = integerParameter({ name: 'meter', meaning: 'the meter to rank by' });

const METER: Parameter<number> = {
  ...{ ...ANY_METER, absent: '0', schema: { ...ANY_METER.schema, default: 0 } },
  read: (parameters) => ANY_METER.read(parameters) ?? 0,
};

const maxItemsParameter = ({ maxTopperItems }: ServiceSettings): Parameter<number> =>
  rangeParameter({
    ...{ name: TOPPER_NAMES.maxItems, meaning: 'how many keys to list' },
    ...{ least: 1, most: maxTopperItems },
    absent: Math.min(LIMITS.defaultMaxItems, maxTopperItems),
  });

const RESOLVE_KEYS = booleanParameter(
  { name: 'resolve_keys', meaning: 'whether keys have `readable` and `label`' },
  true,
);

const ATTRIBUTES = booleanParameter(
  { name: 'get_key_attributes', meaning: 'whether keys have `attributes`' },
  false,
);

const percentilesParameter = ({
  maxPercentileRanks: most,
}: ServiceSettings): Parameter<readonly number[]> => ({
  ...{ name: 'get_percentiles', form: 'list of numbers, 0 to 100', absent: null },
  meaning: `the ranks of which keys have \`percentiles\`, in this order, at most ${most}`,
  required: false,
  schema: {
    ...{ type: 'array', items: { type: 'number', minimum: 0, maximum: 100 } },
    ...{ maxItems: most, examples: [[50, 95]] },
  },
  read(parameters) {
    const items = parameters.list('get_percentiles');
    return items.length === 0 ? [] : parseRanks(items, 'get_percentiles', most);
  },
});

/** A pattern that does not compile is 400, before names are looked up (decisions 3 and 26). */
function patternParameter(name: string, meaning: string): Parameter<string | null> {
  const schema = { maxLength: LIMITS.patternLength, examples: ['^C0\\.A8\\.01\\.'] };
  return textParameter({ ...{ name, meaning, form: 'RE2 pattern', schema } });
}

const MATCH = patternParameter(
  TOPPER_NAMES.match,
  'only keys in whose raw form the pattern is found',
);

const EXCLUDE = patternParameter(
  TOPPER_NAMES.exclude,
  'only keys in whose raw form it is not found',
);

// Decision 9: `flags` must be an integer and changes nothing.
const FLAGS = integerParameter({ name: 'flags', meaning: 'checked, and without effect' });

const timeZoneParameter = ({ timeZone }: ServiceSettings): Parameter<string> => ({
  ...{ name: TOPPER_NAMES.timeZone, form: 'IANA name', absent: timeZone, required: false },
  meaning: 'the zone of dates and of midnight',
  schema: { type: 'string', default: timeZone, examples: ['Europe/Berlin'] },
  read(parameters) {
    const name = parameters.text(TOPPER_NAMES.timeZone) ?? timeZone;
    if (!isTimeZone(name)) throw malformed(TOPPER_NAMES.timeZone, 'an IANA time zone name', name);
    return name;
  },
});

const FORMAT = wordParameter({ name: 'format', meaning: 'how the answer is written' }, [
  'json',
  'csv',
]);

export const topperParameters = (settings: ServiceSettings): readonly Parameter<unknown>[] => [
  ...[COUNTER_GROUP, METER, maxItemsParameter(settings), RESOLVE_KEYS, ATTRIBUTES],
  ...[percentilesParameter(settings), MATCH, EXCLUDE, FLAGS, FORMAT],
  ...[...WINDOW_PARAMETERS, timeZoneParameter(settings)],
];

/** Errors: 400 for each value that is malformed. */
export function decodeTopper(parameters: Parameters, settings: ServiceSettings): TopperOptions {
  FLAGS.read(parameters);
  const timeZone = timeZoneParameter(settings).read(parameters);
  const maxItems = maxItemsParameter(settings).read(parameters);
  return {
    ...decodeCommon(parameters),
    counterGroup: COUNTER_GROUP.read(parameters) ?? '',
    meterIndex: METER.read(parameters),
    maxItems,
    resolveKeys: RESOLVE_KEYS.read(parameters),
    attributes: ATTRIBUTES.read(parameters),
    ranks: percentilesParameter(settings).read(parameters),
    filter: decodeFilter(parameters),
    window: decodeWindow(parameters, timeZone),
    timeZone,
    format: FORMAT.read(parameters),
  };
}

function decodeFilter(parameters: Parameters): KeyFilter {
  const match = MATCH.read(parameters);
  const exclude = EXCLUDE.read(parameters);
  if (match !== null) compileKeyPattern(match, MATCH.name);
  if (exclude !== null) compileKeyPattern(exclude, EXCLUDE.name);
  return { ...(match !== null && { match }), ...(exclude !== null && { exclude }) };
}
