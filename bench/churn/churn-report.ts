import { count, megabytes, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import type { CommandFigures } from '../systems/measured-command.ts';
import { type ChurnShape, churnSamples } from '../traffic/churn-traffic.ts';
import { METERS } from '../traffic/traffic.ts';
import type { DayLoad } from './load-day.ts';
import type { ServingFigures } from './measure-serving.ts';

/** The results of a run. */
export type ChurnReport = {
  readonly machine: Machine;
  readonly shape: ChurnShape;
  /** Of this product, and of the one beside it. */
  readonly days: readonly ChurnDay[];
};

export type ChurnDay = {
  readonly version: string;
  readonly load: DayLoad;
  readonly serving: ServingFigures;
  readonly verify: CommandFigures;
  /** Size of the whole database after the slice was dropped. */
  readonly droppedBytes: number;
};

export function renderChurn({ machine, shape, days }: ChurnReport): string {
  const { addresses, steady, seed } = shape;
  const data =
    `a day of ${count(addresses)} addresses seen once and ${count(steady)} in every minute: ` +
    `${count(churnSamples(shape))} samples of ${METERS.length} readings, seed ${seed}`;
  return [
    `${renderMachine(machine)}\n${data}`,
    ...days.flatMap((each) => [
      `${each.version}\n${renderLoad(each.load)}`,
      renderServing(each.serving),
      renderRest(each),
    ]),
    ...renderRatios(days),
  ].join('\n\n');
}

/** Compares the first product with the one beside it. */
function renderRatios([product, beside]: readonly ChurnDay[]): string[] {
  if (!product || !beside) return [];
  const figures: readonly (readonly [string, (each: ChurnDay) => number | undefined])[] = [
    ['bytes per reading', ({ load }) => load.stored.bytes],
    ['import: seconds', ({ load }) => load.import.seconds],
    ['import: peak memory', ({ load }) => load.import.usage?.peakBytes],
    ['import: WAL', ({ load }) => load.import.walBytes],
    ['compact: CPU', ({ load }) => load.compact.usage?.cpuSeconds],
    ['verify: seconds', ({ verify }) => verify.seconds],
    ["server's peak memory", ({ serving }) => serving.peakBytes ?? undefined],
  ];
  const ratioOf = (of: (each: ChurnDay) => number | undefined): string =>
    ((of(product) ?? Number.NaN) / (of(beside) ?? Number.NaN)).toFixed(2);
  const rows = figures.map(([name, of]) => [name, ratioOf(of)]);
  return [textTable(['product/beside', 'ratio'], rows)];
}

function renderLoad({ samples, import: imported, copy, compact, stored }: DayLoad): string {
  const rows = [
    ['import', ...work(imported), count(samples / imported.seconds), megabytes(imported.walBytes)],
    [
      'COPY',
      copy.seconds.toFixed(1),
      '',
      '',
      count(samples / copy.seconds),
      megabytes(copy.walBytes),
    ],
    ['compact', ...work(compact), '', ''],
  ];
  const perReading = (stored.bytes / samples / METERS.length).toFixed(2);
  return [
    textTable(['', 'seconds', 'CPU s', 'peak MB', 'samples/s', 'WAL MB'], rows),
    `import/COPY: ${(copy.seconds / imported.seconds).toFixed(2)} in samples/s`,
    `stored: ${perReading} bytes per reading, ${megabytes(stored.bytes)} MB, ` +
      `${count(stored.segments)} segments`,
  ].join('\n');
}

const work = ({ seconds, usage }: CommandFigures): string[] => [
  seconds.toFixed(1),
  usage === null ? 'unknown' : usage.cpuSeconds.toFixed(1),
  usage === null ? 'unknown' : megabytes(usage.peakBytes),
];

function renderServing({ cases, peakBytes }: ServingFigures): string {
  const rows = cases.map(({ name, cold, warm }) => [
    name,
    ...[cold, warm].flatMap(({ median, most, cpu }) => [median, most, cpu].map(milliseconds)),
  ]);
  const head = ['milliseconds', 'cold', 'most', 'CPU', 'warm', 'most', 'CPU'];
  const peak = peakBytes === null ? 'unknown' : `${megabytes(peakBytes)} MB`;
  return `${textTable(head, rows)}\npeak memory of the server: ${peak}`;
}

function renderRest({ verify, load, droppedBytes }: ChurnDay): string {
  const [seconds, cpu, peak] = work(verify);
  const { empty, full } = load.databaseBytes;
  return [
    `verify: ${seconds} s, ${cpu} s of CPU, peak ${peak} MB`,
    `database: ${megabytes(empty)} MB without samples, ${megabytes(full)} MB with them, ` +
      `${megabytes(droppedBytes)} MB after \`slices drop\``,
  ].join('\n');
}
