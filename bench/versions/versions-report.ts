import type { ServiceLoad } from '../load/load-service.ts';
import { count, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { perReading, renderImport } from '../reports/render-load.ts';
import { textTable } from '../reports/text-table.ts';
import type { ProcessUsage } from '../systems/process-usage.ts';
import { METERS, type TrafficShape } from '../traffic/traffic.ts';
import type { CertifiedHeads } from './certified.ts';
import type { ProductName } from './load-product.ts';
import type { MeasuredCase, MeasuredProduct } from './measure-versions.ts';

export type ReportedProduct = {
  readonly name: ProductName;
  readonly version: string;
  readonly load: ServiceLoad;
  readonly certified: CertifiedHeads;
  /** Of the server, after all questions. */
  readonly usage: ProcessUsage | null;
};

/** The results of a run. */
export type VersionsReport = {
  readonly machine: Machine;
  readonly shape: TrafficShape;
  /** 0: the samples name none. */
  readonly probes: number;
  readonly products: readonly ReportedProduct[];
  /** Size of DuckDB's file with the same rows. */
  readonly duckdbBytes: number | null;
  readonly cases: readonly MeasuredCase[];
};

export function renderVersions(report: VersionsReport): string {
  const { machine, shape, probes, products, cases } = report;
  const { samples, days, seed, popularity } = shape;
  const from = probes === 0 ? '' : ` from ${probes} probes`;
  const data =
    `${count(samples)} samples of ${METERS.length} readings${from}, ` +
    `${days} days, ${popularity}, seed ${seed}`;
  return [
    `${renderMachine(machine)}\n${data}`,
    ...products.map((each) => renderProduct(report, each)),
    ...renderLoads(report),
    renderCases(products, cases),
  ].join('\n\n');
}

function renderProduct({ shape }: VersionsReport, product: ReportedProduct): string {
  const { name, version, load, certified, usage } = product;
  const heads = certified.certified === null ? 'unknown' : count(certified.certified);
  return [
    `${name}: ${version}`,
    ...renderImport(shape, load),
    `everything: ${perReading(shape, load.storedBytes)}`,
    `${count(certified.windows)} windows of nearly whole segments, equal to those with the ` +
      `number of keys; from heads: ${heads}`,
    `peak memory of the server: ${count(megabytesOf(usage) ?? Number.NaN)} MB`,
  ].join('\n');
}

/** For two products, the ratios of the first to the second. */
function renderLoads({ products, shape, duckdbBytes }: VersionsReport): string[] {
  const figures: readonly [string, (load: ServiceLoad) => number | undefined][] = [
    ['import: thousand samples/s', (load) => shape.samples / load.import.seconds / 1000],
    ['import: s of CPU', (load) => load.import.usage?.cpuSeconds],
    ['import: peak MB', (load) => megabytesOf(load.import.usage)],
    ['merging: s of CPU', (load) => load.compact.usage?.cpuSeconds],
    ['everything: bytes per reading', (load) => load.storedBytes / shape.samples / METERS.length],
    ["everything/DuckDB's file", (load) => load.storedBytes / (duckdbBytes ?? Number.NaN)],
  ];
  const rows = figures.map(([title, of]) => {
    const [product, beside] = products.map(({ load }) => of(load) ?? Number.NaN);
    return [title, ...ratioCells([product ?? Number.NaN, beside], (value) => value.toFixed(2))];
  });
  return [textTable(['', ...products.map(({ name }) => name), ...ratioTitle(products)], rows)];
}

const megabytesOf = (usage: ProcessUsage | null): number | undefined =>
  usage ? usage.peakBytes / 2 ** 20 : undefined;

const ratioTitle = (products: readonly ReportedProduct[]): string[] =>
  products.length > 1 ? ['product/beside'] : [];

/** One or two figures, and the ratio of two. */
const ratioCells = (
  [product, beside]: readonly [number, number | undefined],
  shown: (value: number) => string,
): string[] =>
  beside === undefined
    ? [shown(product)]
    : [shown(product), shown(beside), (product / beside).toFixed(2)];

/** Medians and CPU times of warm and of cold questions. */
function renderCases(products: readonly ReportedProduct[], cases: readonly MeasuredCase[]): string {
  const isPair = products.length > 1;
  const rows = cases.flatMap(({ name, figures, cpuMs }) =>
    (['', ', cold'] as const).flatMap((state) => {
      if (!figures[`product${state}`]) return [];
      const cells = (msOf: (name: MeasuredProduct) => number): string[] => {
        const beside = isPair ? msOf(`beside${state}`) : undefined;
        return ratioCells([msOf(`product${state}`), beside], milliseconds);
      };
      return [
        [
          `${name}${state || ', warm'}`,
          ...cells((each) => figures[each]?.median ?? Number.NaN),
          ...cells((each) => cpuMs[each] ?? Number.NaN),
        ],
      ];
    }),
  );
  const columns = [...products.map(({ name }) => name), ...ratioTitle(products)];
  return textTable(['milliseconds', ...columns, ...columns.map((each) => `${each}: CPU`)], rows);
}
