import { LIMITS } from '../domain/limits.ts';
import { csvHeader, csvLines } from './csv-lines.ts';
import type { Output } from './output.ts';
import type { ReadingPage, ReadingSource } from './reading-source.ts';
import { type RenderedRows, sampleLines } from './sample-lines.ts';

export const EXPORT_FORMATS = ['samples', 'csv'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportProgress = {
  /** From 0 to 1, by estimate. */
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
  /** Keys with a line, a key being one of its group. */
  readonly keys: number;
  /** Keys of the exported groups that have no line; what is said about them is left out. */
  readonly keysWithoutReadings: number;
  /** Labels from DNS answers or MaxMind databases; the lines do not say where they came from. */
  readonly derivedLabels: number;
  /** Keys whose texts are too long for a line of an import, and left out. */
  readonly keysWithLongTexts: number;
  /** As they are stored, so possibly compressed. */
  readonly bytes: number;
};

type Tally = { lines: number; derivedLabels: number; keysWithLongTexts: number };

/** How a format renders the rows of a page, some at a time. */
type Renderer = (page: ReadingPage) => Iterable<RenderedRows>;

/** Writes all that a source has to one output, in bounded memory. */
export async function writeReadings(work: ReadingsToWrite): Promise<WrittenReadings> {
  const tally: Tally = { lines: 0, derivedLabels: 0, keysWithLongTexts: 0 };
  const bytes = await work.output.write(textOf(work, tally), work.signal);
  const { read, withoutReadings } = await work.source.keyCounts();
  return { ...tally, bytes, keys: read, keysWithoutReadings: withoutReadings };
}

/** In long texts: each costs the streams that it goes through some microseconds. */
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
