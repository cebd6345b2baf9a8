import { spreadOf } from '../measures/statistics.ts';
import type { StreamsOptions } from '../options/serving-options.ts';
import { count, megabytes, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import type { RunFigures } from './run-commits.ts';
import type { HeldMemory } from './server-process.ts';

/** The results of a run. */
export type StreamsReport = {
  readonly machine: Machine;
  readonly options: Omit<StreamsOptions, 'json'>;
  readonly questions: number;
  /** Until the last stream had its first answer. */
  readonly openedMs: number;
  /** How often the server was too busy to open a stream, which was then retried. */
  readonly refused: number;
  /** Memory before any stream was opened. */
  readonly before: HeldMemory;
  readonly run: RunFigures;
  /** Questions whose last answer differs from the query's, or between streams. */
  readonly differences: number;
};

export function renderStreams(report: StreamsReport): string {
  const { machine, options, questions, openedMs, refused, run, differences } = report;
  const described =
    `${count(options.streams)} streams of ${questions} questions, opened in ` +
    `${milliseconds(openedMs)} ms (refused: ${refused}); ${run.commits.length} commits in ${count(run.seconds)} s`;
  return [
    `${renderMachine(machine)}\n${described}`,
    renderCommits(run),
    renderMemory(report),
    `${renderProcessor(run)}\n${differences} of ${questions} answers differ from the query's`,
  ].join('\n\n');
}

function renderCommits({ commits }: RunFigures): string {
  const row = (name: string, figures: readonly number[]): string[] => {
    const { median, p95, most } = spreadOf(figures);
    return [name, ...[median, p95, most].map(milliseconds)];
  };
  const computations = commits.map((each) => each.computations);
  const rows = [
    row(
      'ms until half of the streams are told',
      commits.map(({ medianMs }) => medianMs),
    ),
    row(
      'ms until the last of them is told',
      commits.map(({ lastMs }) => lastMs),
    ),
  ];
  return [
    textTable(['a commit', 'median', 'p95', 'most'], rows),
    `computations a commit: ${[...new Set(computations)].join(', ')}`,
    `messages beyond one for each stream: ${count(commits.reduce((n, { extra }) => n + extra, 0))}`,
  ].join('\n');
}

function renderMemory({ before, run }: StreamsReport): string {
  const row = (name: string, { rss, heapUsed, external }: HeldMemory): string[] => [
    name,
    ...[rss, heapUsed, external].map(megabytes),
  ];
  const rows = run.held.map((held, minute) => row(`after minute ${minute + 1}`, held));
  return [
    textTable(
      ['MB, after a collection', 'RSS', 'heap', 'external'],
      [row('before', before), ...rows],
    ),
    `most, of the process: ${megabytes(run.peakBytes)} MB`,
  ].join('\n');
}

function renderProcessor({ cpu, commits, seconds }: RunFigures): string {
  const each = (used: number): string =>
    `${milliseconds((used * 1000) / commits.length)} ms a commit, ` +
    `${((used * 100) / seconds).toFixed(0)} % of a core`;
  return `CPU of the server: ${each(cpu.server)}; of the readers: ${each(cpu.readers)}`;
}
