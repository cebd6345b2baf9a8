import type { CopySource } from '../../db/session/copy-source.ts';
import { type KeyIdRun, readOldKeys } from '../../db/write/convert/old-keys.ts';
import { KEY_ID_BYTES } from '../../db/write/convert/old-samples.ts';
import type { KeyTable } from '../../segments/gather/key-table.ts';
import type { ConvertedGroup } from './converted-group.ts';

type KeysOfIds = {
  /** The table of keys, which has all of these ids. */
  readonly table: string;
  readonly group: ConvertedGroup;
  /** In the form they have in rows of samples. */
  readonly ids: KeyTable;
};

/**
 * Puts the compact form of each id's key into a table, at the index that the id has in `ids`.
 * Errors: an id has no key, or its text is not a key of the group.
 */
export async function loadKeysOfIds(
  source: CopySource,
  { table, group, ids }: KeysOfIds,
  into: KeyTable,
): Promise<void> {
  const found = new CompactKeys(group, ids.count);
  for (const runs of batchesOf(runsOf(ids))) {
    const read = { table, groupId: group.groupId, runs };
    await readOldKeys(source, read, (bytes, idAt, from, to) => {
      // A run also contains ids that are not wanted.
      const index = ids.find(bytes, idAt, idAt + KEY_ID_BYTES);
      if (index !== -1) found.set(index, bytes.subarray(from, to));
    });
  }
  for (let index = 0; index < ids.count; index += 1) {
    const { from, to } = found.rangeOf(index);
    if (into.indexOf(found.bytes, from, to) !== index) {
      throw new Error(`group ${group.groupId} has a key twice, under different ids`);
    }
  }
}

/** Largest gap between ids within a run: reading through it costs less than another lookup. */
const GAP = 32;
/** Maximum runs and ids of one statement. */
const RUNS = 4096;
const IDS = 65_536;

const SHARD_UNIT = 2 ** 32;

/** Yields the ids in order, as runs of nearby ids. */
function* runsOf(ids: KeyTable): Generator<KeyIdRun> {
  let shard = -1;
  let first = 0;
  let last = 0;
  for (const id of sortedIds(ids)) {
    const own = Math.floor(id / SHARD_UNIT);
    const keyId = id - own * SHARD_UNIT;
    if (own !== shard || keyId - last > GAP || keyId - first >= IDS) {
      if (shard >= 0) yield { shard, first, last };
      shard = own;
      first = keyId;
    }
    last = keyId;
  }
  if (shard >= 0) yield { shard, first, last };
}

/** Returns shard and key id of each, as one number, in ascending order. */
function sortedIds({ bytes, count }: KeyTable): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ids = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const at = index * KEY_ID_BYTES;
    ids[index] = view.getInt16(at) * SHARD_UNIT + view.getInt32(at + KEY_ID_BYTES - 4);
  }
  return ids.sort();
}

function* batchesOf(runs: Iterable<KeyIdRun>): Generator<KeyIdRun[]> {
  let batch: KeyIdRun[] = [];
  let ids = 0;
  for (const run of runs) {
    batch.push(run);
    ids += run.last - run.first + 1;
    if (batch.length < RUNS && ids < IDS) continue;
    yield batch;
    batch = [];
    ids = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Compact keys in the order in which they are read, with the position of each by its index. */
class CompactKeys {
  bytes = new Uint8Array(4096);
  readonly #group: ConvertedGroup;
  /** Where a key begins, plus 1; 0 if it has not been read. */
  readonly #starts: Float64Array;
  readonly #lengths: Uint32Array;
  #length = 0;

  constructor(group: ConvertedGroup, count: number) {
    this.#group = group;
    this.#starts = new Float64Array(count);
    this.#lengths = new Uint32Array(count);
  }

  /** Encodes and stores a key; its text is UTF-8. No compact key is longer than its text. */
  set(index: number, text: Uint8Array): void {
    this.#reserve(text.length);
    const start = this.#length;
    const { codec, groupId, shape } = this.#group;
    const length = codec.encodeAscii(text, 0, text.length, this.bytes, start);
    if (length < 0) {
      throw new Error(
        `a key of group ${groupId} must be one of kind ${shape.keyKind}, and ` +
          `${Buffer.from(text).toString()} is none: correct its row of table keys, and begin again`,
      );
    }
    this.#starts[index] = start + 1;
    this.#lengths[index] = length;
    this.#length = start + length;
  }

  rangeOf(index: number): { from: number; to: number } {
    const from = (this.#starts[index] as number) - 1;
    if (from < 0) {
      throw new Error(
        `each sample of group ${this.#group.groupId} must have a key, but ids of some are not in ` +
          'table keys: restore the database from a backup',
      );
    }
    return { from, to: from + (this.#lengths[index] as number) };
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.bytes.length) return;
    const grown = new Uint8Array(2 * (this.#length + length));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}
