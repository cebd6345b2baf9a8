/**
 * The three legacy endpoints: the ends of their paths, and the parameters that only they accept.
 */
export const LEGACY_ENDPOINTS = {
  slices: {
    path: '/api/time_slices/time_slices_request',
    own: ['get_disk_usage', 'get_all_engines', 'get_total_window', 'get_from_dr'],
  },
  groups: {
    path: '/api/counter_group_info/counter_group_info_request',
    own: ['get_meter_info'],
  },
  topper: {
    path: '/api/topper/topper_request',
    own: [
      'meter',
      'maxitems',
      'resolve_keys',
      'get_key_attributes',
      'get_percentiles',
      'key_filter',
      'inverse_key_filter',
      'flags',
      'recentsecs',
      'window_seconds',
      'window_fromts',
      'window_tots',
      'from_date',
      'to_date',
      'from_time',
      'to_time',
      'valid_input',
    ],
  },
} as const;

export type LegacyEndpoint = keyof typeof LEGACY_ENDPOINTS;

export const ENDPOINT_NAMES = Object.keys(LEGACY_ENDPOINTS) as LegacyEndpoint[];

/** The parameters that select the window of a topper. */
const WINDOW_PARAMETERS = [
  'window_fromts',
  'window_tots',
  'window_seconds',
  'recentsecs',
  'from_date',
  'to_date',
  'from_time',
  'to_time',
];

/** Decision 1: an empty value counts as not given. */
export const namesWindow = (query: URLSearchParams): boolean =>
  WINDOW_PARAMETERS.some((name) => query.getAll(name).some((text) => text !== ''));
