import { CopyReader } from '../../copy-reader.ts';
import { copyArray, copyInteger as integer } from '../../copy-text.ts';
import { pagePartitionOf } from '../../page-tables.ts';
import type { CopySource } from '../../session/copy-source.ts';
import type { Format1Row } from './select-format-1-segments.ts';

/** Selects pages of a segment of format 1, by number: views of one buffer. */
export async function selectFormat1Pages(
  source: CopySource,
  segment: Pick<Format1Row, 'segmentId' | 'sliceId' | 'level' | 'importedAt'>,
  numbers: ReadonlySet<number>,
): Promise<Map<number, Uint8Array>> {
  const partition = pagePartitionOf(segment);
  const place =
    partition.table === 'sealed_segment_pages'
      ? 'format_1_sealed_pages where true'
      : `format_1_open_pages where generation = ${integer(partition.generation)}`;
  const text = `copy (select page, bytes from ${place}
    and slice_id = ${integer(segment.sliceId)} and segment_id = ${integer(segment.segmentId)}
    and page = any(${copyArray([...numbers])})) to stdout (format binary)`;
  const reader = new CopyReader(await source.copy({ query: 'select-format-1-pages', text }));
  const pages = new Map<number, Uint8Array>();
  while (reader.next()) pages.set(reader.integer(), reader.bytes());
  return pages;
}
