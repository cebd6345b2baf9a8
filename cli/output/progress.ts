import cliProgress from 'cli-progress';
import { MEGABYTE } from '../../domain/byte-units.ts';
import type { ExportProgress } from '../../export/write-readings.ts';
import type { ImportProgress } from '../../ingest/files/import-file.ts';
import type { ImportSource } from '../../ingest/files/import-source.ts';

/** Shows the progress of a command while it runs. */
export type Progress = {
  readonly update: (progress: ImportProgress) => void;
  readonly stop: () => void;
};

/**
 * Shows a progress bar for one file, cleared when the file is done. Shows nothing without a
 * terminal.
 */
export function showProgress(source: ImportSource): Progress {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const started = performance.now();
  const total = source.sizeBytes ?? 0;
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: total > 0 ? `{bar} {percentage}% | ${DETAILS}` : DETAILS,
  });
  bar.start(total, 0, details(source.name, { bytes: 0, lines: 0, readings: 0 }, 0));
  return {
    update: (progress) => {
      const seconds = (performance.now() - started) / 1000;
      bar.update(progress.bytes, details(source.name, progress, seconds));
    },
    stop: () => bar.stop(),
  };
}

/**
 * Shows a progress bar for work with a known number of steps, cleared when it is done. Shows
 * nothing without a terminal.
 */
export function showSteps(what: string): {
  readonly update: (done: number, of: number) => void;
  readonly stop: () => void;
} {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: `{bar} {percentage}% | {value} of {total} ${what}`,
  });
  bar.start(1, 0);
  return {
    update: (done, of) => {
      bar.setTotal(of);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

/** Shows such a bar for work that is counted in bytes. */
export function showBytes(what: string): ReturnType<typeof showSteps> {
  const { update, stop } = showSteps(`MB ${what}`);
  const megabytes = (bytes: number) => Math.ceil(bytes / MEGABYTE);
  return { update: (done, of) => update(megabytes(done), megabytes(of)), stop };
}

/**
 * Shows a progress bar for an export, of which only the fraction done is known. Shows nothing
 * without a terminal.
 */
export function showExport(name: string): {
  readonly update: (progress: ExportProgress) => void;
  readonly stop: () => void;
} {
  if (!process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: '{bar} {percentage}% | {name} | {lines} lines',
  });
  bar.start(1, 0, { name, lines: '0' });
  return {
    update: ({ done, lines }) => bar.update(done, { name, lines: lines.toLocaleString('en') }),
    stop: () => bar.stop(),
  };
}

const DETAILS = '{name} | {size} MB | {speed} MB/s | {lines} lines | {readings} readings';

const details = (name: string, { bytes, lines, readings }: ImportProgress, seconds: number) => ({
  name,
  size: (bytes / MEGABYTE).toFixed(1),
  speed: (seconds > 0 ? bytes / MEGABYTE / seconds : 0).toFixed(1),
  lines: lines.toLocaleString('en'),
  readings: readings.toLocaleString('en'),
});
