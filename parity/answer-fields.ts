import type { LegacyEndpoint } from './legacy-endpoint.ts';

/** `error` is the body of a response with an error status. */
export type AnswerKind = LegacyEndpoint | 'error';

/** The fields that the specification always requires; all others may be omitted. */
const REQUIRED: Readonly<Record<AnswerKind, readonly string[]>> = {
  slices: [
    'context_name',
    'ha_slave_mode',
    'slices',
    'slices.time_interval',
    'slices.time_interval.from',
    'slices.time_interval.to',
    'slices.name',
    'slices.status',
    'slices.available',
  ],
  groups: [
    'group_details',
    'group_details.guid',
    'group_details.name',
    'group_details.bucket_size',
    'group_details.topper_bucket_size',
    'group_details.time_interval',
    'group_details.time_interval.from',
    'group_details.time_interval.to',
    'group_details.crosskey.parentguid',
    'group_details.crosskey.crosskeyguid_1',
    'group_details.meters.id',
    'group_details.meters.type',
    'group_details.meters.topcount',
    'group_details.meters.name',
    'group_details.meters.description',
    'group_details.meters.units',
  ],
  topper: [
    'counter_group',
    'meter',
    'sysgrouptotal',
    'keys',
    'keys.key',
    'keys.metric',
    'keys.attributes.attr_name',
    'keys.attributes.attr_value',
    'keys.percentiles.rank',
    'keys.percentiles.value',
  ],
  error: ['status', 'message'],
};

/** The field that identifies a list element, by the field of the list. */
const IDENTITIES: Readonly<Record<string, string>> = {
  slices: 'name',
  pools: 'mounted',
  group_details: 'guid',
  'group_details.meters': 'id',
  keys: 'key',
  'keys.attributes': 'attr_name',
  'keys.percentiles': 'rank',
};

/** Fields that may differ between services with the same data: sizes, files and slice numbers. */
export const HOST_FIELDS: readonly string[] = [
  'slices.disk_size',
  'slices.path',
  'slices.id',
  'pools.total_size',
  'pools.avail_size',
];

export const isRequired = (kind: AnswerKind, field: string): boolean =>
  REQUIRED[kind].includes(field);

/** Returns the identifying field, or null if there is none and elements are matched by position. */
export const identityIn = (field: string): string | null => IDENTITIES[field] ?? null;

/** Whether a field is in `left` or nested below a field in it. */
export const isAmong = (field: string, left: readonly string[]): boolean =>
  left.some((other) => field === other || field.startsWith(`${other}.`));
