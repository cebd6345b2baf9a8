import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { shown } from '../../domain/errors.ts';
import { type KeyText, parseRawKey, parseReadableKey } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isStorable } from '../../domain/text/storable-text.ts';
import type { ImportSource } from '../files/import-source.ts';
import { readContent } from '../files/read-content.ts';
import type { ImportGroup } from '../import-group.ts';
import { IngestError } from '../ingest-error.ts';
import type { KeyTexts } from '../key-texts.ts';

/** One line: its texts, and the keys that it may mean: the raw key of a group comes first. */
export type CsvLabel = {
  readonly texts: KeyTexts;
  readonly bytes: number;
  /** The form of its key; null: it can be either. */
  readonly form: 'raw' | 'readable' | null;
  readonly candidates: readonly {
    readonly group: ImportGroup;
    readonly keys: readonly KeyText[];
  }[];
};

/** Reads lines `key,label[,description]`. A first line `key,label…` is a header and is skipped. */
export async function* csvLabels(
  source: ImportSource,
  groups: readonly ImportGroup[],
  signal: AbortSignal | undefined,
): AsyncGenerator<CsvLabel> {
  const options = {
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: LIMITS.importLineBytes,
  };
  // The callback is for errors, which reading from the stream also throws.
  const records = pipeline(Readable.from(readContent(source)), parse(options), () => {});
  try {
    let isFirst = true;
    for await (const { info, record } of records as AsyncIterable<CsvRecord>) {
      signal?.throwIfAborted();
      const where = `${source.name}, line ${info.lines}`;
      if (!isFirst || !isHeader(record)) yield labelOf(record, groups, where);
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new IngestError(`${source.name}: it must be CSV: ${error.message}`, { cause: error });
  }
}

type CsvRecord = { info: { lines: number }; record: string[] };

const isHeader = ([key, label]: readonly string[]): boolean => key === 'key' && label === 'label';

function labelOf(
  record: readonly string[],
  groups: readonly ImportGroup[],
  where: string,
): CsvLabel {
  const [key = '', label = '', description] = record;
  if (record.length < 2 || record.length > 3) {
    throw new IngestError(
      `${where}: it must be key,label[,description], got ${shown(record.join())}`,
    );
  }
  if (!isStorable(label) || !isStorable(description ?? '') || record.join().includes('\uFFFD')) {
    throw new IngestError(`${where}: it must be UTF-8 text without NUL characters`);
  }
  const candidates = groups.flatMap((group) => {
    const keys = readings(group, key);
    return keys.length > 0 ? [{ group, keys }] : [];
  });
  if (candidates.length === 0) {
    const kinds = [...new Set(groups.map(({ keyKind }) => keyKind))].join(', ');
    throw new IngestError(`${where}: its key must be one of kind ${kinds}, got ${shown(key)}`);
  }
  const texts = {
    label: label === '' ? null : label,
    description: description === '' ? null : description,
    attributes: undefined,
  };
  return { texts, candidates, form: formOf(groups, key), bytes: 2 * record.join().length };
}

function formOf(groups: readonly ImportGroup[], text: string): CsvLabel['form'] {
  const kinds = groups.flatMap(({ keyKind }) => (keyKind === 'crosskey' ? [] : [keyKind]));
  const isRaw = kinds.some((kind) => parseRawKey(kind, text) !== null);
  const isReadable = kinds.some((kind) => parseReadableKey(kind, text) !== null);
  if (isRaw === isReadable) return null;
  return isRaw ? 'raw' : 'readable';
}

/**
 * Returns the keys of a group that a text may mean: the raw key, and the readable one if it
 * differs.
 */
function readings({ keyKind }: ImportGroup, text: string): KeyText[] {
  if (keyKind === 'crosskey') return [];
  const keys = [parseRawKey(keyKind, text), parseReadableKey(keyKind, text)];
  return [...new Set(keys.flatMap((key) => key ?? []))];
}
