import { type Spread, spreadOf } from '../measures/statistics.ts';
import type { FeedOptions } from '../options/feed-options.ts';
import { count, megabytes, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import type { DayFigures, MinuteFigures } from './run-day.ts';

/** The results of a run. */
export type FeedReport = {
  readonly machine: Machine;
  readonly options: Pick<FeedOptions, 'minutes' | 'flows' | 'keys'>;
  /** Of this product, and of the one beside it. */
  readonly days: readonly ReportedDay[];
};

export type ReportedDay = {
  readonly version: string;
  /** Stored samples of all groups. */
  readonly samples: number;
  readonly segmentBytes: number;
  /** Distinct keys of the group Hosts. */
  readonly hosts: number;
  readonly day: DayFigures;
  /** Milliseconds of toppers of the last hour, early and late. */
  readonly toppers: { readonly early: Spread; readonly late: Spread };
};

/** Compares the first hour with the last, or the halves of a run shorter than two hours. */
export const hourOf = (minutes: number): number => Math.min(60, Math.ceil(minutes / 2));

export function renderFeed({ machine, options, days }: FeedReport): string {
  const { minutes, flows } = options;
  return [
    `${renderMachine(machine)}\n${count(minutes)} minutes of ${count(flows)} flows`,
    ...days.flatMap((each) => [
      renderData(each, minutes),
      renderCommits(each),
      renderStored(each.segmentBytes, each.day),
    ]),
    ...renderRatios(days),
  ].join('\n\n');
}

const renderData = ({ version, samples, hosts }: ReportedDay, minutes: number): string =>
  `${version}: ${count(samples / minutes)} samples a minute, ${count(hosts)} hosts`;

/** Compares the first product with the one beside it. */
function renderRatios([product, beside]: readonly ReportedDay[]): string[] {
  if (!product || !beside) return [];
  const cpuOfCommits = ({ day }: ReportedDay): number =>
    day.minutes.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const figures: readonly (readonly [string, (each: ReportedDay) => number])[] = [
    ['WAL', ({ day }) => day.walBytes],
    ['disk at its most', ({ day }) => day.disk.most],
    ['disk in the end', ({ day }) => day.disk.end],
    ['segments', ({ segmentBytes }) => segmentBytes],
    ['CPU of commits and merges', cpuOfCommits],
  ];
  return [
    textTable(
      ['product/beside', 'ratio'],
      figures.map(([name, of]) => [name, (of(product) / of(beside)).toFixed(2)]),
    ),
  ];
}

function renderCommits({ day: { minutes }, toppers }: ReportedDay): string {
  const hour = hourOf(minutes.length);
  const early = minutes.slice(0, hour);
  const late = minutes.slice(-hour);
  const rows = [
    row('early: ms', timesOf(early), milliseconds),
    row('late: ms', timesOf(late), milliseconds),
    row('all beside a merge: ms', timesOf(minutes.filter(isMerging)), milliseconds),
    row('early: CPU ms of the process', cpuOf(early), milliseconds),
    row('late: CPU ms of the process', cpuOf(late), milliseconds),
    row('early: WAL MB', walOf(early), megabytes),
    row('late: WAL MB', walOf(late), megabytes),
    row('topper of the last hour, early: ms', toppers.early, milliseconds),
    row('topper of the last hour, late: ms', toppers.late, milliseconds),
  ];
  return textTable(['a commit', 'median', 'p95', 'most', 'of'], rows);
}

const isMerging = ({ merges }: MinuteFigures): boolean => merges > 0;

const timesOf = (minutes: readonly MinuteFigures[]): Spread =>
  spreadOf(minutes.map(({ ms }) => ms));

/** Only minutes without a merge: WAL and CPU time beside a merge belong to both. */
const walOf = (minutes: readonly MinuteFigures[]): Spread =>
  spreadOf(minutes.filter((minute) => !isMerging(minute)).map(({ walBytes }) => walBytes));
const cpuOf = (minutes: readonly MinuteFigures[]): Spread =>
  spreadOf(minutes.filter((minute) => !isMerging(minute)).map(({ cpuMs }) => cpuMs));

const row = (name: string, spread: Spread, shown: (value: number) => string): string[] => [
  name,
  ...[spread.median, spread.p95, spread.most].map(shown),
  count(spread.runs),
];

function renderStored(segmentBytes: number, day: DayFigures): string {
  const { walBytes, merges, mergedBytes, disk } = day;
  const ratio = (bytes: number): string => (bytes / disk.end).toFixed(2);
  return [
    `in the end: ${megabytes(disk.end)} MB of disk, ${megabytes(segmentBytes)} MB of segments`,
    `WAL: ${megabytes(walBytes)} MB, ${ratio(walBytes)} times the disk in the end`,
    `disk at its most: ${megabytes(disk.most)} MB, ${ratio(disk.most)} times that in the end`,
    `${count(merges)} merges wrote ${megabytes(mergedBytes)} MB`,
  ].join('\n');
}
