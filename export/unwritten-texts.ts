import type { Connection } from '../db/connection/connection.ts';
import { type ExportedTexts, selectExportedTexts, selectTextKeys } from '../db/sql/key-texts.ts';
import { LIMITS } from '../domain/limits.ts';
import type { KeyCodec } from '../segments/keys/key-codec.ts';
import { findKey, type KeyList, keyAt } from '../segments/keys/key-list.ts';
import { KeyListBuilder } from '../segments/keys/key-list-builder.ts';
import type { ExportedMetadata } from './reading-source.ts';

/** States of a key: its texts were looked up, were set by a user, or have been written. */
const LOOKED_UP = 0;
const BY_USER = 1;
const WRITTEN = 2;

/**
 * Tracks which keys of a group have texts and which of these have been written, because each must
 * be written only once. Memory holds the compact keys and one byte per key, never the texts.
 */
export class UnwrittenTexts {
  readonly #connection: Connection;
  readonly #groupId: number;
  readonly #keys: KeyList;
  readonly #states: Uint8Array;

  private constructor(
    of: { readonly connection: Connection; readonly groupId: number },
    keys: KeyList,
    states: Uint8Array,
  ) {
    this.#connection = of.connection;
    this.#groupId = of.groupId;
    this.#keys = keys;
    this.#states = states;
  }

  static async load(
    of: { readonly connection: Connection; readonly groupId: number },
    codec: KeyCodec,
  ): Promise<UnwrittenTexts> {
    const keys = new KeyListBuilder({ keys: 0, bytes: 0 });
    const states: Uint8Array[] = [];
    let after = '';
    for (;;) {
      const limit = LIMITS.exportTextKeys;
      const page = await selectTextKeys(of.connection, { groupId: of.groupId, after, limit });
      for (const { key } of page) keys.add(codec.encode(key));
      states.push(Uint8Array.from(page, ({ isUsers }) => (isUsers ? BY_USER : LOOKED_UP)));
      const last = page.at(-1);
      if (!last || page.length < limit) break;
      after = last.key;
    }
    return new UnwrittenTexts(of, keys.finish(), Buffer.concat(states));
  }

  /** Maps the ordinals of a range's keys to positions in the list; −1 for keys without texts. */
  placesOf(keys: KeyList): Int32Array {
    const places = new Int32Array(keys.count).fill(-1);
    if (this.#keys.count === 0) return places;
    for (let ordinal = 0; ordinal < keys.count; ordinal += 1) {
      const { ordinal: place, isThere } = findKey(this.#keys, keyAt(keys, ordinal));
      if (isThere) places[ordinal] = place;
    }
    return places;
  }

  isUnwritten = (place: number): boolean => place >= 0 && this.#states[place] !== WRITTEN;

  /** Returns the texts of the keys, by raw key, and marks them as written. */
  async take(wanted: readonly { readonly key: string; readonly place: number }[]) {
    const texts = new Map<string, ExportedMetadata>();
    if (wanted.length === 0) return texts;
    const keys = wanted.map(({ key }) => key);
    for (const row of await selectExportedTexts(this.#connection, this.#groupId, keys)) {
      texts.set(row.key, textsOf(row));
    }
    for (const { place } of wanted) this.#states[place] = WRITTEN;
    return texts;
  }

  /** Returns the number of keys that have texts from a user and were not written. */
  countOfUsers(): number {
    return this.#states.reduce((count, state) => (state === BY_USER ? count + 1 : count), 0);
  }
}

const textsOf = ({
  label,
  labelSource,
  description,
  attributes,
}: ExportedTexts): ExportedMetadata => ({
  label,
  isLabelDerived: labelSource === 'dns' || labelSource === 'mmdb',
  description,
  attributes,
});
