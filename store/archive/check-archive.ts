import type { StoredArchive } from '../../db/sql/archived-slices.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { type ArchivedGroup, type ArchiveHeader, FORM_VERSION } from './archive-form.ts';
import type { ArchiveSession, SliceIdentity } from './archive-session.ts';
import { loadIdentity } from './describe-archive.ts';
import type { ArchiveReader } from './read-archive.ts';

/** What the numbers in an archive stand for. */
type Identity = Pick<ArchiveHeader, 'groups' | 'probes'>;

/** The archive of a slice as the database describes it, and its file. */
type ArchiveFile = {
  readonly archive: Pick<StoredArchive, 'digest'>;
  readonly file: string;
  readonly reader: ArchiveReader;
};

/**
 * Returns the header of the file that was written for the slice. Errors: any other file, identified
 * where possible; a form that this program does not read; an id in its segments whose meaning has
 * changed.
 */
export async function checkArchive(
  session: ArchiveSession,
  slice: SliceIdentity,
  { archive, file, reader }: ArchiveFile,
): Promise<ArchiveHeader> {
  const digest = await reader.digest();
  const outline = await reader.outline();
  const name = sliceName(slice.startsAt, slice.engine);
  if (digest !== archive.digest) {
    const other = outline?.slice ? { context: outline.context, name: outline.slice.name } : null;
    throw otherFile(
      { file, digest, written: archive.digest },
      { context: session.context, name },
      other,
    );
  }
  if (outline?.version !== FORM_VERSION) {
    throw new Error(`${file} is ${formText(outline?.version ?? null)}. Nothing was changed`);
  }
  const header = await reader.read().header();
  const fault = findOther(session, slice, header) ?? (await findChange(session, header, reader));
  if (fault === null) return header;
  throw new Error(
    `${file} must be restored where it was archived, but ${fault}. Nothing was changed: use the ` +
      'database that it was archived from',
  );
}

/** The name of a slice, within its context. */
type SliceTitle = { readonly context: string | null; readonly name: string };

type FileDigest = {
  readonly file: string;
  /** The file's digest, and the digest that was written. */
  readonly digest: string;
  readonly written: string;
};

/** Makes the error for a file that is not the one that was written; `other` says what it is. */
export function otherFile(
  { file, digest, written }: FileDigest,
  wanted: SliceTitle,
  other: SliceTitle | null,
): Error {
  const isOther =
    other !== null && (other.context !== wanted.context || other.name !== wanted.name);
  const what = isOther
    ? `is the archive of ${other.name} of context ${other.context}, not of ${wanted.name}`
    : 'is damaged';
  return new Error(
    `${file} ${what}: its SHA-256 is ${digest}, and ${written} was written. Nothing was ` +
      'changed: put the file back from a copy',
  );
}

function formText(version: number | null): string {
  if (version === null) return `of no known form; this version reads form ${FORM_VERSION}`;
  const advice = version > FORM_VERSION ? 'update countergraph' : 'version 1.7 reads both';
  return `of form ${version}; this version reads form ${FORM_VERSION}: ${advice}`;
}

function findOther(
  { context }: ArchiveSession,
  { sliceId, engine, startsAt, endsAt }: SliceIdentity,
  { context: other, slice }: ArchiveHeader,
): string | null {
  const isSame =
    other === context &&
    slice.id === sliceId &&
    slice.engine === engine &&
    slice.from === startsAt &&
    slice.to === endsAt;
  return isSame ? null : `it is of ${slice.name} (${slice.id}) of context ${other}`;
}

/**
 * Finds an id of the archive whose meaning has changed. Only the groups and probes of its segments
 * count: `apply` may change a group that has no data, and the header has those groups too.
 */
async function findChange(
  session: ArchiveSession,
  header: ArchiveHeader,
  reader: ArchiveReader,
): Promise<string | null> {
  const now = await loadIdentity(session);
  // Most often nothing has changed at all, which saves reading the segments.
  if (firstChange(header, now) === null) return null;
  return firstChange(await usedIdentity(header, reader), now);
}

/** Returns the groups and probes of the segments, and the groups that cross-keys consist of. */
async function usedIdentity(header: ArchiveHeader, reader: ArchiveReader): Promise<Identity> {
  const groupIds = new Set<number>();
  const probeIds = new Set<number>();
  const contents = reader.read();
  await contents.header();
  for await (const { row, pages } of contents.segments()) {
    groupIds.add(row.groupId);
    probeIds.add(row.probeId);
    for await (const _ of pages);
  }
  const own = header.groups.filter(({ groupId }) => groupIds.has(groupId));
  // The kinds of these groups say how cross-keys are stored.
  const parts = new Set(own.flatMap(({ partGuids }) => partGuids));
  return {
    groups: header.groups.filter((group) => own.includes(group) || parts.has(group.guid)),
    probes: header.probes.filter(({ id }) => probeIds.has(id)),
  };
}

/** Finds an id that means something else `now`. Added groups, meters and probes are fine. */
function firstChange(before: Identity, now: Identity): string | null {
  const groups = new Map(now.groups.map((group) => [group.groupId, group]));
  for (const group of before.groups) {
    const change = groupChange(group, groups.get(group.groupId));
    if (change !== null) return change;
  }
  const names = new Map(now.probes.map(({ id, name }) => [id, name]));
  const lost = before.probes.find(({ id, name }) => names.get(id) !== name);
  return lost ? `probe ${lost.name} was number ${lost.id}, and no longer is` : null;
}

function groupChange(before: ArchivedGroup, now: ArchivedGroup | undefined): string | null {
  const what = `counter group ${before.name} (${before.guid})`;
  if (!now || now.guid !== before.guid) return `there is no ${what} of that id`;
  if (formOf(now) !== formOf(before)) return `${what} was ${formOf(before)}, is ${formOf(now)}`;
  const meters = new Map(now.meters.map((meter) => [meter.slot, meter]));
  for (const { slot, id, type, name } of before.meters) {
    const meter = meters.get(slot);
    if (meter?.id === id && meter.type === type) continue;
    return `${what} had meter ${id} (${name}) of type ${type} in slot ${slot}, and no longer has`;
  }
  return null;
}

/** The properties of a group that cannot change while it has data. */
const formOf = ({ keyKind, bucketSize, topperBucketSize, partGuids }: ArchivedGroup): string =>
  [
    `of ${keyKind} keys`,
    ...(partGuids.length > 0 ? [`of parts ${partGuids.join(' ')}`] : []),
    `with buckets of ${bucketSize} and ${topperBucketSize} seconds`,
  ].join(' ');
