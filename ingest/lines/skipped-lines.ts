/**
 * Why lines that could be read were not counted. The names are keys of `skipped` in the output of
 * `import --json`.
 */
const SKIP_REASONS = ['events', 'tunnelLines', 'notIp'] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** How many lines were not counted, by reason. */
export type SkippedLines = Readonly<Record<SkipReason, number>>;

export const NONE_SKIPPED: SkippedLines = {
  events: 0,
  tunnelLines: 0,
  notIp: 0,
};

export const skippedCount = (skipped: SkippedLines): number =>
  SKIP_REASONS.reduce((sum, reason) => sum + skipped[reason], 0);

/** Names of the reasons for one line and for several. */
const NAMES: Readonly<Record<SkipReason, readonly [string, string]>> = {
  events: ['event', 'events'],
  tunnelLines: ['tunnel line', 'tunnel lines'],
  notIp: ['not IP', 'not IP'],
};

/** What an input of flows consists of. */
export type ReadUnit = 'line' | 'datagram';

/** What is skipped of each: a datagram has many records. */
const SKIPPED: Readonly<Record<ReadUnit, readonly [string, string]>> = {
  line: ['line', 'lines'],
  datagram: ['record', 'records'],
};

/** Describes what was skipped, of lines or datagrams; null if nothing was. */
export function skippedText(skipped: SkippedLines, unit: ReadUnit = 'line'): string | null {
  const total = skippedCount(skipped);
  if (total === 0) return null;
  const parts = SKIP_REASONS.filter((reason) => skipped[reason] > 0).map((reason) =>
    counted(skipped[reason], NAMES[reason]),
  );
  return `${counted(total, SKIPPED[unit])} skipped (${parts.join(', ')})`;
}

const counted = (value: number, [one, several]: readonly [string, string]): string =>
  `${value.toLocaleString('en')} ${value === 1 ? one : several}`;
