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
import type { KeyMetadata } from '../key-metadata.ts';

/** How the keys are written: what both forms could be is in this one. */
export type WrittenForm = 'raw' | 'readable';

/** One line: its texts, and the keys that it may mean. */
export type CsvLabel = {
  readonly texts: KeyMetadata;
  readonly bytes: number;
  readonly candidates: readonly { readonly group: ImportGroup; readonly key: KeyText }[];
};

type CsvOptions = {
  readonly source: ImportSource;
  readonly groups: readonly ImportGroup[];
  readonly signal: AbortSignal | undefined;
};

/**
 * Reads lines `key,label[,description]`. A first line `key,label…` is a header and is skipped.
 * `10.20.30.40` is an address, and the raw form of another one. Such keys are readable if any key
 * of the file can only be readable, raw if one can only be raw, and readable otherwise.
 */
export async function* csvLabels(options: CsvOptions): AsyncGenerator<CsvLabel> {
  const form = await writtenFormOf(options);
  for await (const { where, record } of csvRecords(options)) {
    yield labelOf(record, { groups: options.groups, where, form });
  }
}

async function writtenFormOf(options: CsvOptions): Promise<WrittenForm> {
  let form: WrittenForm = 'readable';
  for await (const { record } of csvRecords(options)) {
    const only = onlyFormOf(options.groups, record[0] ?? '');
    if (only === 'readable') return only;
    if (only === 'raw') form = only;
  }
  return form;
}

/** Returns the only form that a key can have; null: it can be in both, or says nothing. */
function onlyFormOf(groups: readonly ImportGroup[], text: string): WrittenForm | null {
  let isRaw = false;
  let isReadable = false;
  for (const { keyKind } of groups) {
    const { raw, readable } = readings(keyKind, text);
    // Text and countries are the same in both.
    if (raw === readable) continue;
    isRaw ||= raw !== null;
    isReadable ||= readable !== null;
  }
  if (isRaw === isReadable) return null;
  return isRaw ? 'raw' : 'readable';
}

async function* csvRecords({
  source,
  signal,
}: CsvOptions): AsyncGenerator<{ where: string; record: string[] }> {
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
      if (!isFirst || !isHeader(record)) yield { where, record };
      isFirst = false;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new IngestError(`${source.name}: it must be CSV: ${error.message}`, { cause: error });
  }
}

type CsvRecord = { info: { lines: number }; record: string[] };

const isHeader = ([key, label]: readonly string[]): boolean => key === 'key' && label === 'label';

type LabelReading = {
  readonly groups: readonly ImportGroup[];
  readonly where: string;
  readonly form: WrittenForm;
};

function labelOf(record: readonly string[], { groups, where, form }: LabelReading): CsvLabel {
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
    const { raw, readable } = readings(group.keyKind, key);
    const meant = form === 'raw' ? (raw ?? readable) : (readable ?? raw);
    return meant === null ? [] : [{ group, key: meant }];
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
  return { texts, candidates, bytes: 2 * record.join().length };
}

/** Returns the keys of a kind that a text may mean. */
const readings = (
  kind: ImportGroup['keyKind'],
  text: string,
): Readonly<Record<WrittenForm, KeyText | null>> =>
  kind === 'crosskey'
    ? { raw: null, readable: null }
    : { raw: parseRawKey(kind, text), readable: parseReadableKey(kind, text) };
