import { malformed } from '../../domain/errors.ts';
import type { KeyFilter } from '../../domain/filters/key-filter.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import type { WindowRequest } from '../../domain/time/window.ts';
import { parseRanks } from '../../domain/toppers/percentile.ts';
import type { ServiceSettings } from '../../resolvers/request-scope.ts';
import type { TopperNames } from '../../resolvers/toppers/topper-plan.ts';
import { type CheckPattern, type CommonOptions, decodeCommon } from './decode-common.ts';
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
  /** Whether all keys that pass the filters are added up. */
  readonly matching: boolean;
  readonly filter: KeyFilter;
  readonly window: WindowRequest;
  readonly timeZone: string;
  readonly format: Format;
};

/** `series` is also a table; `step` is null if it is omitted. */
type Format =
  | { readonly kind: 'json' | 'csv' }
  | { readonly kind: 'series'; readonly step: number | null };

export const TOPPER_NAMES: TopperNames = {
  maxItems: 'maxitems',
  timeZone: 'time_zone',
  match: 'key_filter',
  exclude: 'inverse_key_filter',
};

export const COUNTER_GROUP = textParameter({
  name: 'counter_group',
  meaning: 'the group',
  form: 'GUID',
  required: true,
  example: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}',
});

const ANY_METER = integerParameter({
  name: 'meter',
  meaning: 'the meter to rank by',
  example: 0,
});

const METER: Parameter<number> = {
  ...ANY_METER,
  absent: '0',
  schema: { ...ANY_METER.schema, default: 0 },
  read: (parameters) => ANY_METER.read(parameters) ?? 0,
};

const maxItemsParameter = ({ maxTopperItems }: ServiceSettings): Parameter<number> =>
  rangeParameter({
    name: TOPPER_NAMES.maxItems,
    meaning: 'how many keys to list',
    example: Math.min(10, maxTopperItems),
    min: 1,
    max: maxTopperItems,
    absent: Math.min(LIMITS.defaultMaxItems, maxTopperItems),
  });

const RESOLVE_KEYS = booleanParameter(
  { name: 'resolve_keys', meaning: 'whether keys have `readable` and `label`', example: true },
  true,
);

const ATTRIBUTES = booleanParameter(
  { name: 'get_key_attributes', meaning: 'whether keys have `attributes`', example: true },
  false,
);

const percentilesParameter = ({
  maxPercentileRanks: maxRanks,
}: ServiceSettings): Parameter<readonly number[]> => ({
  name: 'get_percentiles',
  form: 'list of numbers, 0 to 100',
  absent: null,
  meaning: `the ranks for which keys have \`percentiles\`, in this order, at most ${maxRanks}`,
  required: false,
  schema: {
    type: 'array',
    items: { type: 'number', minimum: 0, maximum: 100 },
    maxItems: maxRanks,
  },
  example: [50, 95].slice(0, maxRanks),
  read(parameters) {
    const items = parameters.list('get_percentiles');
    return items.length === 0 ? [] : parseRanks(items, 'get_percentiles', maxRanks);
  },
});

/** A pattern that does not compile is 400, before names are looked up (decisions 3 and 26). */
const patternParameter = (name: string, meaning: string, example: string) =>
  textParameter({
    name,
    meaning,
    example,
    form: 'RE2 pattern',
    schema: { maxLength: LIMITS.patternLength },
  });

const MATCH = patternParameter(
  TOPPER_NAMES.match,
  'only keys in whose raw form the pattern is found',
  '^C0\\.A8\\.01\\.',
);

const EXCLUDE = patternParameter(
  TOPPER_NAMES.exclude,
  'only keys in whose raw form it is not found',
  '\\.FF$',
);

const MATCHING = booleanParameter(
  {
    name: 'matching',
    meaning: 'whether the answer has `matching`: all keys that pass the filters, together',
    example: true,
  },
  false,
);

// Decision 9: `flags` must be an integer and changes nothing.
const FLAGS = integerParameter({
  name: 'flags',
  meaning: 'checked, but has no effect',
  example: 0,
});

const timeZoneParameter = ({ timeZone }: ServiceSettings): Parameter<string> => ({
  name: TOPPER_NAMES.timeZone,
  form: 'IANA name',
  absent: timeZone,
  required: false,
  meaning: 'the zone of dates and of midnight',
  schema: { type: 'string', default: timeZone },
  example: 'Europe/Berlin',
  read(parameters) {
    const name = parameters.text(TOPPER_NAMES.timeZone) ?? timeZone;
    if (!isTimeZone(name)) throw malformed(TOPPER_NAMES.timeZone, 'an IANA time zone name', name);
    return name;
  },
});

const FORMAT = wordParameter(
  { name: 'format', meaning: 'how the answer is written', example: 'csv' },
  ['json', 'csv'],
);

const SERIES = booleanParameter(
  {
    name: 'series',
    meaning: 'with `format=csv`: whether the table is the series of the listed keys over time',
    example: true,
  },
  false,
);

const ANY_STEP = integerParameter({
  name: 'step',
  meaning:
    'with `series=true`: seconds between points, a multiple of the `bucket_size` of the group; ' +
    'left out: its `topper_bucket_size`',
  example: 300,
});

/** Whether it is a positive multiple of the group's bucket is checked later, as in GraphQL. */
const STEP: Parameter<number | null> = {
  ...ANY_STEP,
  schema: { type: 'integer', minimum: 1, maximum: LIMITS.seriesStepSeconds },
  read(parameters) {
    const step = ANY_STEP.read(parameters);
    if (step === null || step <= LIMITS.seriesStepSeconds) return step;
    throw malformed(ANY_STEP.name, `at most ${LIMITS.seriesStepSeconds}`, step);
  },
};

export const topperParameters = (settings: ServiceSettings): readonly Parameter<unknown>[] => [
  COUNTER_GROUP,
  METER,
  maxItemsParameter(settings),
  RESOLVE_KEYS,
  ATTRIBUTES,
  percentilesParameter(settings),
  MATCH,
  EXCLUDE,
  MATCHING,
  FLAGS,
  FORMAT,
  SERIES,
  STEP,
  ...WINDOW_PARAMETERS,
  timeZoneParameter(settings),
];

/** Errors: 400 for each malformed value. */
export async function decodeTopper(
  parameters: Parameters,
  settings: ServiceSettings,
  checkPattern: CheckPattern,
): Promise<TopperOptions> {
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
    matching: MATCHING.read(parameters),
    filter: await decodeFilter(parameters, checkPattern),
    window: decodeWindow(parameters, timeZone),
    timeZone,
    format: decodeFormat(parameters),
  };
}

function decodeFormat(parameters: Parameters): Format {
  const kind = FORMAT.read(parameters);
  const isSeries = SERIES.read(parameters);
  const step = STEP.read(parameters);
  if (isSeries && kind !== 'csv') throw malformed(FORMAT.name, 'csv with series=true', kind);
  if (isSeries) return { kind: 'series', step };
  if (step !== null) throw malformed(STEP.name, 'given only with series=true', step);
  if (kind === 'csv' && MATCHING.read(parameters)) {
    throw malformed(FORMAT.name, 'json with matching=true', kind);
  }
  return { kind };
}

async function decodeFilter(
  parameters: Parameters,
  checkPattern: CheckPattern,
): Promise<KeyFilter> {
  const match = MATCH.read(parameters);
  const exclude = EXCLUDE.read(parameters);
  if (match !== null) await checkPattern(match, MATCH.name);
  if (exclude !== null) await checkPattern(exclude, EXCLUDE.name);
  return { ...(match !== null && { match }), ...(exclude !== null && { exclude }) };
}
