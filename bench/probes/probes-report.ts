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

/** All that a run found out. */
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

/** Of two: how many times as long the first takes. */
function renderCases(products: readonly ReportedProduct[], cases: readonly ProbesCase[]): string {
  const columns: MeasuredProduct[] = [];
  for (const { name } of products) columns.push(name, `${name}, cold`);
  const ratios = products.length > 1 ? ['product/beside', 'cold'] : [];
  const rows = cases.map(({ window, figures }) => {
    const times = columns.map((name) => {
      const found = figures[name];
      return found ? `${milliseconds(found.median)} ${milliseconds(found.p99).padStart(6)}` : '';
    });
    const ratio = (own: MeasuredProduct, other: MeasuredProduct): string =>
      ((figures[own]?.median ?? Number.NaN) / (figures[other]?.median ?? Number.NaN)).toFixed(2);
    const both = [ratio('product', 'beside'), ratio('product, cold', 'beside, cold')];
    return [`${window}, all probes`, ...times, ...both.slice(0, ratios.length)];
  });
  return textTable(['milliseconds: median, p99', ...columns, ...ratios], rows);
}
