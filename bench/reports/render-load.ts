import type { CopyFigures } from '../load/copy-rows.ts';
import type { SqlLoad } from '../load/databases.ts';
import type { ServiceLoad, StoredTable } from '../load/load-service.ts';
import type { DuckDb } from '../systems/duckdb.ts';
import { METERS, type TrafficShape } from '../traffic/traffic.ts';
import { count, megabytes } from './figures.ts';

export type Loads = {
  readonly service: ServiceLoad | null;
  readonly sql: SqlLoad | null;
  readonly duckdb: Pick<DuckDb, 'loadSeconds' | 'fileBytes'> | null;
};

/** Renders how long loading took and how much is stored. */
export function renderLoad(shape: TrafficShape, { service, sql, duckdb }: Loads): string {
  const lines: string[] = [];
  if (service) {
    lines.push(...renderImport(shape, service));
    lines.push(...service.tables.map((table) => renderTable(shape, table)));
    lines.push(`everything: ${perReading(shape, service.storedBytes)}`);
  }
  if (sql) lines.push(`plain SQL was loaded in ${sql.seconds.toFixed(1)} s`);
  if (duckdb) lines.push(`DuckDB was loaded in ${duckdb.loadSeconds.toFixed(1)} s`);
  if (duckdb?.fileBytes) {
    lines.push(`DuckDB's file: ${perReading(shape, duckdb.fileBytes)}`);
    if (service) {
      const ratio = service.storedBytes / duckdb.fileBytes;
      lines.push(`everything/DuckDB's file: ${ratio.toFixed(2)}`);
    }
  }
  return lines.join('\n');
}

/** Renders the lines about the import, and about COPY if it was measured. */
export function renderImport(
  { samples }: TrafficShape,
  { import: { seconds, usage }, copy }: Pick<ServiceLoad, 'import' | 'copy'>,
): string[] {
  const work = usage
    ? `, ${usage.cpuSeconds.toFixed(1)} s of CPU, peak ${megabytes(usage.peakBytes)} MB`
    : '';
  const imported = `import: ${rate(samples, seconds)}${work}`;
  return copy === null ? [imported] : [imported, ...renderCopy(samples, seconds, copy)];
}

const renderCopy = (samples: number, importSeconds: number, { seconds }: CopyFigures): string[] => [
  `COPY of the same rows: ${rate(samples, seconds)}`,
  `import/COPY: ${(seconds / importSeconds).toFixed(2)} in samples/s`,
];

const rate = (samples: number, seconds: number): string =>
  `${count(samples / seconds)} samples/s, ${seconds.toFixed(1)} s`;

const renderTable = (shape: TrafficShape, { name, bytes, rows }: StoredTable): string =>
  bytes === null
    ? `${name}: there is no such table`
    : `${name}: ${perReading(shape, bytes)}, ${count(rows ?? 0)} rows`;

export const perReading = ({ samples }: TrafficShape, bytes: number): string =>
  `${(bytes / (samples * METERS.length)).toFixed(2)} bytes per reading, ${megabytes(bytes)} MB`;
