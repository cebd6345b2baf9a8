import type { LiveSegments } from '../load/database-sizes.ts';
import type { ServiceLoad } from '../load/load-service.ts';
import { count, megabytes } from '../reports/figures.ts';
import { type Machine, renderMachine } from '../reports/machine.ts';
import { perReading, renderImport } from '../reports/render-load.ts';
import type { CommandFigures } from '../systems/measured-command.ts';
import type { TrafficShape } from '../traffic/traffic.ts';

/** The results of a run. */
export type ConversionReport = {
  readonly machine: Machine;
  readonly shape: TrafficShape;
  /** Version of the product that created the database. */
  readonly version: string;
  readonly load: ServiceLoad;
  readonly migrate: CommandFigures;
  readonly walBytes: number;
  /** Segments in use afterwards. */
  readonly stored: LiveSegments;
  /** Size of the whole database: before, at its most during the conversion, and after it. */
  readonly databaseBytes: {
    readonly before: number;
    readonly most: number;
    readonly after: number;
  };
};

export function renderConversion(report: ConversionReport): string {
  const { machine, shape, version, load, migrate, stored, databaseBytes } = report;
  const { seconds, usage } = migrate;
  const work = usage
    ? `${usage.cpuSeconds.toFixed(1)} s of CPU, peak ${megabytes(usage.peakBytes)} MB`
    : 'CPU time and memory unknown';
  return [
    renderMachine(machine),
    `${count(shape.samples)} samples, ${shape.days} days, ${shape.popularity}, seed ${shape.seed}, by ${version}`,
    ...renderImport(shape, load),
    `migrate: ${seconds.toFixed(1)} s, ${count(shape.samples / seconds)} samples/s, ${work}, ` +
      `${megabytes(report.walBytes)} MB of WAL`,
    `segments: ${count(stored.segments)}, ${perReading(shape, stored.bytes)}`,
    `database: ${megabytes(databaseBytes.before)} MB before, at most ${megabytes(databaseBytes.most)} MB, ` +
      `${megabytes(databaseBytes.after)} MB after`,
  ].join('\n');
}
