import { pageTableOf } from '../../../db/page-tables.ts';
import { copiesOf } from '../../../db/session/copy-source.ts';
import type { Directory } from '../../../segments/pages/directory.ts';
import { openPage, PAGE_BYTES, sealPage } from '../../../segments/pages/page.ts';
import type { SectionLocation } from '../../../segments/pages/sections.ts';
import { type VerifyReport, verifyContext } from '../../../store/check/verify-context.ts';
import { loadManifest, type StoredSegment } from '../../../store/read/manifest.ts';
import { type RebuildReport, rebuildContext } from '../../../store/rebuild/rebuild-context.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';

export const verify = ({ databaseUrl }: TestService): Promise<VerifyReport> =>
  verifyContext({ databaseUrl, context: CONTEXT });

export const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

export const rebuild = ({ databaseUrl }: TestService): Promise<RebuildReport> =>
  rebuildContext({ databaseUrl, context: CONTEXT, now: nowInSeconds });

/** The live segments of the context, in the order in which they were written. */
export const segmentsOf = ({ write }: TestService): Promise<StoredSegment[]> =>
  write(async (connection) => {
    const manifest = await loadManifest(copiesOf(connection), { contextId: 1 });
    return [...(manifest?.segments.values() ?? [])].sort((a, b) => a.segmentId - b.segmentId);
  });

/**
 * Flips the last bit of a section, which is the lowest of its last number, and gives its page a
 * digest that fits, as a faulty writer would.
 */
export async function flipLastBit(
  { sql }: TestService,
  segment: StoredSegment,
  { to }: SectionLocation,
): Promise<void> {
  const page = pageOf(to - 1);
  const table = pageTableOf(segment.level);
  const where = 'where segment_id = $1 and page = $2';
  const [row] = await sql<{ bytes: Buffer }>(`select bytes from ${table} ${where}`, [
    segment.segmentId,
    page,
  ]);
  if (!row) throw new Error(`segment ${segment.segmentId} has no page ${page}`);
  const identity = { nonce: segment.directory().nonce, number: page };
  const sections = Uint8Array.from(openPage(Uint8Array.from(row.bytes), identity));
  const at = (to - 1) % PAGE_BYTES;
  sections[at] = (sections[at] ?? 0) ^ 1;
  await sql(`update ${table} set bytes = $3 ${where}`, [
    segment.segmentId,
    page,
    Buffer.from(sealPage(sections, identity)),
  ]);
}

/** Returns the number of the page that has a byte of a segment's sections. */
export const pageOf = (at: number): number => Math.floor(at / PAGE_BYTES);

/** Returns all sections of a segment's ranges by name, which begins as verify names the kind. */
export function everySection({ ranges }: Directory): Map<string, SectionLocation> {
  const all = new Map<string, SectionLocation>();
  const add = (name: string, sections: readonly (SectionLocation | null)[]) => {
    for (const [i, section] of sections.entries()) if (section) all.set(`${name} ${i}`, section);
  };
  for (const [r, { keys, span, tiles }] of ranges.entries()) {
    add(`keys, range ${r}`, keys);
    add(`sums of the span, range ${r}, meter`, span ?? []);
    for (const [t, tile] of tiles.entries()) {
      const of = `range ${r}, tile ${t}`;
      add(`keys of tiles, ${of}`, [tile.keys]);
      add(`times of tiles, ${of}`, [tile.times]);
      add(`totals of tiles, ${of}, meter`, tile.totals);
      add(`values of tiles, ${of}, meter`, tile.values);
    }
  }
  return all;
}

/** Returns one section of each kind in a segment's ranges, by the name that verify uses. */
export function kindsOfSections(directory: Directory): Map<string, SectionLocation> {
  const kinds = new Map<string, SectionLocation>();
  for (const [name, section] of everySection(directory)) {
    const kind = name.slice(0, name.indexOf(','));
    if (!kinds.has(kind)) kinds.set(kind, section);
  }
  return kinds;
}
