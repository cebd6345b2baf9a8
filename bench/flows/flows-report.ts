import { count, megabytes } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { textTable } from '../reports/text-table.ts';
import type { LoadedFlows } from './load-flows.ts';

/** The results of a run. */
export type FlowsReport = {
  readonly machine: Machine;
  readonly files: readonly string[];
  /** Of this product, and of the one beside it. */
  readonly loads: readonly LoadedFlows[];
};

export function renderFlows({ machine, files, loads }: FlowsReport): string {
  const versions = loads.map(
    ({ version, import: { seconds, usage } }) =>
      `${version}: imported in ${seconds.toFixed(1)} s` +
      (usage ? `, ${usage.cpuSeconds.toFixed(1)} s of CPU, ${megabytes(usage.peakBytes)} MB` : ''),
  );
  return [`${renderMachine(machine)}\n${files.join(', ')}`, versions.join('\n'), table(loads)].join(
    '\n\n',
  );
}

/** Bytes per reading of each group, of all, and of everything; and the ratios of two products. */
function table(loads: readonly LoadedFlows[]): string {
  const [first] = loads;
  if (!first) throw new Error('at least one product must be measured');
  const sum = (of: LoadedFlows['groups'], what: 'bytes' | 'readings'): number =>
    of.reduce((total, group) => total + group[what], 0);
  const readings = sum(first.groups, 'readings');
  const row = (name: string, own: number, bytesOf: (load: LoadedFlows) => number): string[] => {
    const [bytes = 0, beside] = loads.map(bytesOf);
    const ratio = beside === undefined ? [] : [(bytes / beside).toFixed(3)];
    return [name, count(own), ...loads.map((load) => (bytesOf(load) / own).toFixed(2)), ...ratio];
  };
  const rows = [
    ...first.groups.map((group) =>
      row(
        group.name,
        group.readings,
        ({ groups }) => groups.find(({ name }) => name === group.name)?.bytes ?? Number.NaN,
      ),
    ),
    row('all segments', readings, ({ groups }) => sum(groups, 'bytes')),
    row('everything', readings, ({ storedBytes }) => storedBytes),
  ];
  const head = ['bytes per reading', 'readings', 'product'];
  return textTable(loads.length > 1 ? [...head, 'beside', 'ratio'] : head, rows);
}
