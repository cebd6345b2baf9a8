/** Exported names that several files define. Choose another name instead of adding one. */
export const AMBIGUOUS_NAMES: readonly string[] = [
  'Difference',
  'FailedSignIns',
  'Interval',
  'KeyPage',
  'KeyRange',
  'KeySearch',

  'Progress',
  'ReadingSource',
  'RunningServer',
  'Variables',
  'bytesOf',
  'compareKeys',
  'decodeTopper',
  'decodeWindow',
  'findGroup',
  'findKey',
  'findKeys',
  'findMeter',
  'integer',
  'keyMatcher',
  'keyOf',
  'keySeries',
  'listGroups',
  'listOf',
  'malformed',
  'oneOf',
  'prefixRange',
  'quoted',
  'readColumn',
  'readRange',
  'renderError',
  'rowOf',
  'shareOf',
  'slicesOf',
  'text',
  'topper',
  'topperOf',
  'unfitness',
  'windowOf',
  'writeColumn',
];

/**
 * Short files with one importer. Those that will stay are a stage of their own or what a process
 * starts with; move the others into their importer instead of adding one.
 */
export const SMALL_FILES: readonly string[] = [
  'cli/commands/migrate.ts',
  'mcp/tools.ts',
  'schema/types/time-interval.ts',
];
