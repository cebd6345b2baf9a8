import { pageTableOf } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import type { Directory, SectionLocation } from '../../segments/pages/directory.ts';
import { openPage, sealPage } from '../../segments/pages/page.ts';
import { type VerifyReport, verifyContext } from '../../store/check/verify-context.ts';
import { loadManifest, type StoredSegment } from '../../store/read/manifest.ts';
import { type RebuildReport, rebuildContext } from '../../store/rebuild/rebuild-context.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';

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

/** Changes bytes of a segment's page, with a digest that fits, as a faulty writer would. */
export async function rewritePage(
  { sql }: TestService,
  segment: StoredSegment,
  { page, change }: { page: number; change: (sections: Uint8Array) => void },
): Promise<void> {
  const table = pageTableOf(segment.level);
  const where = 'where segment_id = $1 and page = $2';
  const [row] = await sql<{ bytes: Buffer }>(`select bytes from ${table} ${where}`, [
    segment.segmentId,
    page,
  ]);
  if (!row) throw new Error(`segment ${segment.segmentId} has no page ${page}`);
  const identity = { nonce: segment.directory().nonce, number: page };
  const sections = Uint8Array.from(openPage(Uint8Array.from(row.bytes), identity));
  change(sections);
  await sql(`update ${table} set bytes = $3 ${where}`, [
    segment.segmentId,
    page,
    Buffer.from(sealPage(sections, identity)),
  ]);
}

/** Flips the last bit of a section, which is the lowest of its last number. */
export const oneMore =
  ({ to }: SectionLocation) =>
  (sections: Uint8Array) => {
    sections[to - 1] = (sections[to - 1] ?? 0) ^ 1;
  };

/** Returns all sections of a segment by name: keys, ordinals, columns, entries. */
export function everySection({ ranges }: Directory): Map<string, SectionLocation> {
  const all = new Map<string, SectionLocation>();
  const add = (name: string, sections: readonly (SectionLocation | null)[]) => {
    for (const [i, section] of sections.entries()) if (section) all.set(`${name} ${i}`, section);
  };
  for (const [r, { keys, levels, series }] of ranges.entries()) {
    add(`range ${r}, keys`, keys);
    for (const { stepSeconds, groups } of levels) {
      for (const [g, { ordinals, columns }] of groups.entries()) {
        const group = `range ${r}, group ${g} of blocks of ${stepSeconds} s`;
        add(`${group}, ordinals`, [ordinals]);
        add(`${group}, meter`, columns);
      }
    }
    for (const [c, { entries, columns }] of series.entries()) {
      add(`range ${r}, chunk ${c} of series, topper buckets`, [entries]);
      add(`range ${r}, chunk ${c} of series, meter`, columns);
    }
  }
  return all;
}

/** Returns one section of each kind in a segment, by the name that verify uses. */
export function kindsOfSections(
  { ranges }: Directory,
  topperBucketSeconds: number,
): Map<string, SectionLocation> {
  const kinds = new Map<string, SectionLocation>();
  const add = (kind: string, section: SectionLocation | null | undefined) => {
    if (section && !kinds.has(kind)) kinds.set(kind, section);
  };
  for (const { keys, levels, series } of ranges) {
    add('keys', keys[0]);
    for (const { stepSeconds, groups } of levels) {
      const blocks = Number.isFinite(stepSeconds)
        ? `blocks of ${stepSeconds} s`
        : 'sums of the whole span';
      add(blocks, groups[0]?.columns[0]);
    }
    add(`series of ${topperBucketSeconds} s`, series[0]?.columns[0]);
  }
  return kinds;
}
