import type { ServiceLoad } from '../load/load-service.ts';
import { figuresOf } from '../measures/statistics.ts';
import { count, milliseconds } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import { METERS, type TrafficShape } from '../traffic/traffic.ts';
import type { ProductName } from '../versions/load-product.ts';
import type { MeasuredCase } from '../versions/measure-versions.ts';

/** The results of a run. product: the cluster; beside: one server. */
export type ClusterReport = {
  readonly machine: Machine;
  readonly shape: TrafficShape;
  readonly workers: number;
  readonly imports: Readonly<Record<ProductName, readonly ServiceLoad['import'][]>>;
  readonly cases: readonly MeasuredCase[];
};

export function renderCluster({ machine, shape, workers, imports, cases }: ClusterReport): string {
  const { samples, days, seed, popularity } = shape;
  const data =
    `${count(samples)} samples of ${METERS.length} readings, ${days} days, ${popularity}, ` +
    `seed ${seed}; a coordinator and ${workers} workers beside their coordinator alone`;
  return [
    `${renderMachine(machine)}\n${data}`,
    renderImports(samples, imports),
    renderCases(cases),
  ].join('\n\n');
}

function renderImports(samples: number, { product, beside }: ClusterReport['imports']): string {
  const secondsOf = (imports: readonly ServiceLoad['import'][]): number =>
    figuresOf(imports.map(({ seconds }) => seconds)).median;
  const line = (name: string, seconds: number): string =>
    `import, ${name}: ${count(samples / seconds)} samples/s, ${seconds.toFixed(1)} s`;
  const cluster = secondsOf(product);
  const single = secondsOf(beside);
  return [
    line('cluster', cluster),
    line('one server', single),
    `cluster/one server: ${(single / cluster).toFixed(2)} in samples/s`,
  ].join('\n');
}

function renderCases(cases: readonly MeasuredCase[]): string {
  const rows = cases.map(({ name, figures }) => {
    const of = (place: keyof typeof figures): number => figures[place]?.median ?? Number.NaN;
    const warm = of('product');
    const single = of('beside');
    const cold = of('product, cold');
    const coldSingle = of('beside, cold');
    return [
      name,
      ...[warm, single].map(milliseconds),
      (warm / single).toFixed(2),
      ...[cold, coldSingle].map(milliseconds),
      (cold / coldSingle).toFixed(2),
    ];
  });
  return textTable(
    ['median ms', 'warm', 'one server', 'ratio', 'cold', 'one server', 'ratio'],
    rows,
  );
}
