import type { Loaded } from '../load/databases.ts';
import type { ServiceLoad } from '../load/load-service.ts';
import type { Isolation } from '../measures/isolation.ts';
import type { CaseResult, MeasuredName } from '../measures/measure-case.ts';
import type { Figures } from '../measures/statistics.ts';
import type { DuckDb } from '../systems/duckdb.ts';
import { METERS, type TrafficShape } from '../traffic/traffic.ts';
import { count, milliseconds } from './figures.ts';
import { type Machine, renderMachine } from './machine.ts';
import { type Ratios, ratiosOf, surchargesOf } from './ratios.ts';
import { renderLoad } from './render-load.ts';
import { textTable } from './text-table.ts';

/** The results of a run. */
export type Report = {
  readonly machine: Machine;
  readonly shape: TrafficShape;
  readonly service: ServiceLoad | null;
  readonly sql: Loaded['sql'];
  readonly duckdb: Pick<DuckDb, 'loadSeconds' | 'fileBytes'> | null;
  readonly cases: readonly CaseResult[];
  readonly isolation: Isolation | null;
};

export function renderReport(report: Report): string {
  return [
    renderHead(report),
    renderLoad(report.shape, report),
    renderCases(report.cases),
    renderSurcharges(report.cases),
    renderIsolation(report.isolation),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const MEASURED: readonly { readonly name: MeasuredName; readonly title: string }[] = [
  { name: 'ours', title: 'ours, warm' },
  { name: 'ours, cold', title: 'ours, cold' },
  { name: 'duckdb', title: 'DuckDB' },
  { name: 'duckdb-tuned', title: 'DuckDB, tuned' },
  { name: 'duckdb-text', title: 'DuckDB, text' },
  { name: 'sql', title: 'plain SQL' },
];

const RATIOS: readonly { readonly name: keyof Ratios; readonly title: string }[] = [
  { name: 'duckdbToWarm', title: 'DuckDB/warm' },
  { name: 'duckdbToCold', title: 'DuckDB/cold' },
  { name: 'tunedToWarm', title: 'tuned/warm' },
  { name: 'tunedToCold', title: 'tuned/cold' },
  { name: 'sqlToWarm', title: 'SQL/warm' },
];

const measuredIn = (cases: readonly CaseResult[]) =>
  MEASURED.filter(({ name }) => cases.some(({ figures }) => figures.has(name)));

function renderHead({ machine, shape }: Report): string {
  const { samples, days, seed, popularity } = shape;
  return [
    renderMachine(machine),
    `${count(samples)} samples of ${METERS.length} readings, ${days} days, ${popularity}, seed ${seed}`,
  ].join('\n');
}

function renderCases(cases: readonly CaseResult[]): string {
  const columns = measuredIn(cases);
  const head = ['milliseconds: median, p99', ...columns.map(({ title }) => title)];
  const rows = cases.map((result) => {
    const ratios = ratiosOf(result);
    return [
      `${result.window}, ${result.variant}`,
      ...columns.map(({ name }) => shownFigures(result.figures.get(name))),
      ...RATIOS.map(({ name }) => times(ratios[name])),
    ];
  });
  return textTable([...head, ...RATIOS.map(({ title }) => title)], rows);
}

function renderSurcharges(cases: readonly CaseResult[]): string {
  const columns = measuredIn(cases);
  const rows = surchargesOf(cases).map((surcharge) => [
    `${surcharge.window}, ${surcharge.variant}`,
    ...columns.map(({ name }) => times(surcharge.times.get(name) ?? null)),
  ]);
  return textTable(['compared with plain', ...columns.map(({ title }) => title)], rows);
}

function renderIsolation(isolation: Isolation | null): string {
  if (!isolation) return '';
  const { idle, busy, toppers } = isolation;
  const row = (title: string, { median, p99, runs }: Figures): string[] => [
    title,
    milliseconds(median),
    milliseconds(p99),
    count(runs),
  ];
  return textTable(
    ['time slices, milliseconds', 'median', 'p99', 'requests'],
    [row('idle', idle), row(`beside ${toppers} toppers of everything`, busy)],
  );
}

const shownFigures = (figures: Figures | undefined): string =>
  figures ? `${milliseconds(figures.median)} ${milliseconds(figures.p99).padStart(6)}` : '';

const times = (ratio: number | null): string => (ratio === null ? '' : ratio.toFixed(2));

/** Returns the report as JSON, with the ratios that the text shows. */
export function reportJson(report: Report): string {
  const cases = report.cases.map((result) => ({
    window: result.window,
    variant: result.variant,
    figures: Object.fromEntries(result.figures),
    ratios: ratiosOf(result),
  }));
  const surcharges = surchargesOf(report.cases).map((surcharge) => ({
    ...surcharge,
    times: Object.fromEntries(surcharge.times),
  }));
  return `${JSON.stringify({ ...report, cases, surcharges }, null, 2)}\n`;
}
