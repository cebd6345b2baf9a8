import { count, megabytes } from '../reports/figures.ts';
import { textTable } from '../reports/text-table.ts';

/** The result of `alerts test` for a rule. */
export type TestedRule = {
  readonly name: string;
  readonly windows: number;
  readonly events: number;
  /** Events that only `alerts test` or only plain arithmetic has. */
  readonly differences: number;
  /** From the start to the exit of the process. */
  readonly seconds: number;
  readonly cpuSeconds: number | null;
  readonly peakBytes: number | null;
};

export const renderTestedRules = (rules: readonly TestedRule[]): string =>
  textTable(
    ['rule', 'windows', 'events', 'differences', 's', 'CPU s', 'MB'],
    rules.map(({ name, windows, events, differences, seconds, cpuSeconds, peakBytes }) => [
      name,
      count(windows),
      count(events),
      count(differences),
      seconds.toFixed(1),
      cpuSeconds?.toFixed(1) ?? '',
      peakBytes === null ? '' : megabytes(peakBytes),
    ]),
  );
