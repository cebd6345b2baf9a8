import type { ServiceLoad } from '../load/load-service.ts';
import { count, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { perReading, renderImport } from '../reports/render-load.ts';
import { textTable } from '../reports/text-table.ts';
import { METERS, type TrafficShape } from '../traffic/traffic.ts';
import type { ProductName } from './load-product.ts';
import type { MeasuredProduct, ProbesCase } from './measure-probes.ts';

export type ReportedProduct = {
  readonly name: ProductName;
  readonly version: string;
  readonly load: ServiceLoad;
};

/** The results of a run. */
export type ProbesReport = {
  readonly machine: Machine;
  readonly shape: TrafficShape;
  readonly probes: number;
  readonly products: readonly ReportedProduct[];
  readonly cases: readonly ProbesCase[];
};

export function renderProbes({ machine, shape, probes, products, cases }: ProbesReport): string {
  const { samples, days, seed, popularity } = shape;
  const data =
    `${count(samples)} samples of ${METERS.length} readings from ${probes} probes, ` +
    `${days} days, ${popularity}, seed ${seed}`;
  const loads = products.map(({ name, version, load }) =>
    [
      `${name}: ${version}`,
      ...renderImport(shape, load),
      `everything: ${perReading(shape, load.storedBytes)}`,
    ].join('\n'),
  );
  return [`${renderMachine(machine)}\n${data}`, ...loads, renderCases(products, cases)].join(
    '\n\n',
  );
}

/** Renders medians and CPU times, and for two products the ratios of the first to the second. */
function renderCases(products: readonly ReportedProduct[], cases: readonly ProbesCase[]): string {
  const columns = products.flatMap(({ name }): MeasuredProduct[] => [name, `${name}, cold`]);
  const isPair = products.length > 1;
  const row = (title: string, msOf: (name: MeasuredProduct) => number): string[] => {
    const warm = msOf('product') / msOf('beside');
    const cold = msOf('product, cold') / msOf('beside, cold');
    const ratios = isPair ? [warm.toFixed(2), cold.toFixed(2)] : [];
    return [title, ...columns.map((name) => milliseconds(msOf(name))), ...ratios];
  };
  const rows = cases.flatMap(({ window, figures, cpuMs }) => [
    row(`${window}: median`, (name) => figures[name]?.median ?? Number.NaN),
    row(`${window}: of CPU`, (name) => cpuMs[name] ?? Number.NaN),
  ]);
  const ratios = isPair ? ['product/beside', 'cold'] : [];
  return textTable(['milliseconds', ...columns, ...ratios], rows);
}
