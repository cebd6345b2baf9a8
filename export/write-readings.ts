import { LIMITS } from '../domain/limits.ts';
import { csvHeader, csvLines } from './csv-lines.ts';
import type { Output } from './output.ts';
import type { ReadingPage, ReadingSource } from './reading-source.ts';
import { type RenderedRows, sampleLines } from './sample-lines.ts';

export const EXPORT_FORMATS = ['samples', 'csv'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportProgress = {
  /** Estimated fraction done, from 0 to 1. */
  readonly done: number;
  readonly lines: number;
};

export type ReadingsToWrite = {
  readonly source: ReadingSource;
  readonly format: ExportFormat;
  readonly output: Output;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type WrittenReadings = {
  readonly lines: number;
  /** Keys that have a line. A key belongs to one group. */
  readonly keys: number;
  /** Keys of the exported groups that have no line; their texts are left out. */
  readonly keysWithoutReadings: number;
  /** Labels from DNS answers or MaxMind databases; the lines do not say where they came from. */
  readonly derivedLabels: number;
  /** Keys whose texts were left out because they are too long for an import line. */
  readonly keysWithLongTexts: number;
  /** Size as stored, which may be compressed. */
  readonly bytes: number;
};

type Tally = { lines: number; derivedLabels: number; keysWithLongTexts: number };

/** Renders the rows of a page in a format, some rows at a time. */
type Renderer = (page: ReadingPage) => Iterable<RenderedRows>;

/** Writes all readings of a source to one output, in bounded memory. */
export async function writeReadings(work: ReadingsToWrite): Promise<WrittenReadings> {
  const tally: Tally = { lines: 0, derivedLabels: 0, keysWithLongTexts: 0 };
  const bytes = await work.output.write(textOf(work, tally), work.signal);
  const { read, withoutReadings } = await work.source.keyCounts();
  return { ...tally, bytes, keys: read, keysWithoutReadings: withoutReadings };
}

/**
 * Yields the text in large chunks, because each chunk costs some microseconds in the streams it
 * passes.
 */
async function* textOf(
  { source, format, onProgress }: ReadingsToWrite,
  tally: Tally,
): AsyncGenerator<string> {
  const render: Renderer = format === 'csv' ? csvLines : sampleLines;
  let chunk = format === 'csv' ? csvHeader() : '';
  for await (const page of source.pages()) {
    for (const rendered of render(page)) {
      chunk += rendered.text;
      tally.lines += rendered.lines;
      tally.derivedLabels += rendered.derivedLabels;
      tally.keysWithLongTexts += rendered.keysWithLongTexts;
      if (chunk.length < LIMITS.exportChunkCharacters) continue;
      yield chunk;
      chunk = '';
    }
    onProgress?.({ done: page.done, lines: tally.lines });
  }
  if (chunk !== '') yield chunk;
}
