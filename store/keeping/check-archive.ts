import type { StoredArchive } from '../../db/write/slices/select-stored-slices.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { type ArchivedGroup, type ArchiveHeader, FORM_VERSION } from './archive-form.ts';
import { loadIdentity } from './describe-archive.ts';
import type { ArchiveReader } from './read-archive.ts';
import type { KeptSlice, SliceKeeper } from './slice-keeper.ts';

/** The archive of a slice as the database describes it, and its file. */
type ArchiveFile = {
  readonly archive: Pick<StoredArchive, 'digest'>;
  readonly file: string;
  readonly reader: ArchiveReader;
};

/**
 * Returns the header of the file that was written for the slice. Errors: any other file, identified
 * where possible; a form that this program does not read; ids whose meaning has changed.
 */
export async function checkArchive(
  keeper: SliceKeeper,
  slice: KeptSlice,
  { archive, file, reader }: ArchiveFile,
): Promise<ArchiveHeader> {
  const digest = await reader.digest();
  const outline = await reader.outline();
  const name = sliceName(slice.startsAt, slice.engine);
  if (digest !== archive.digest) {
    const other = outline?.slice ? { context: outline.context, name: outline.slice.name } : null;
    throw otherFile(
      { file, digest, written: archive.digest },
      { context: keeper.context, name },
      other,
    );
  }
  if (outline?.version !== FORM_VERSION) {
    throw new Error(`${file} is ${formText(outline?.version ?? null)}. Nothing was changed`);
  }
  const header = await reader.read().header();
  const fault = findOther(keeper, slice, header) ?? (await findChange(keeper, header));
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
  const advice = version > FORM_VERSION ? ': update countergraph' : '';
  return `of form ${version}; this version reads form ${FORM_VERSION}${advice}`;
}

function findOther(
  { context }: SliceKeeper,
  { sliceId, engine, startsAt, endsAt }: KeptSlice,
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
 * Finds an id of the archive whose meaning has changed. Added groups, meters and probes are fine.
 */
async function findChange(keeper: SliceKeeper, header: ArchiveHeader): Promise<string | null> {
  const { groups, probes } = await loadIdentity(keeper);
  const groupsById = new Map(groups.map((group) => [group.groupId, group]));
  for (const before of header.groups) {
    const now = groupsById.get(before.groupId);
    const what = `counter group ${before.name} (${before.guid})`;
    if (!now || now.guid !== before.guid) return `there is no ${what} of that id`;
    if (formOf(now) !== formOf(before)) return `${what} was ${formOf(before)}, is ${formOf(now)}`;
    const meters = new Map(now.meters.map((meter) => [meter.slot, meter]));
    for (const { slot, id, type, name } of before.meters) {
      const meter = meters.get(slot);
      if (meter?.id === id && meter.type === type) continue;
      return `${what} had meter ${id} (${name}) of type ${type} in slot ${slot}, and no longer has`;
    }
  }
  const names = new Map(probes.map(({ id, name }) => [id, name]));
  const lost = header.probes.find(({ id, name }) => names.get(id) !== name);
  return lost ? `probe ${lost.name} was number ${lost.id}, and no longer is` : null;
}

/** The properties of a group that cannot change while it has data. */
const formOf = ({ keyKind, bucketSize, topperBucketSize, partGuids }: ArchivedGroup): string =>
  [
    `of ${keyKind} keys`,
    ...(partGuids.length > 0 ? [`of parts ${partGuids.join(' ')}`] : []),
    `with buckets of ${bucketSize} and ${topperBucketSize} seconds`,
  ].join(' ');
