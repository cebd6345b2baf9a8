import type { Connection } from '../../db/connection/connection.ts';
import {
  type KeyTextsUpsert,
  upsertKeyTexts,
  upsertWaitingTexts,
  writeWaitingTexts,
} from '../../db/sql/key-texts.ts';
import type { ImportGroup } from '../import-group.ts';
import type { ImportKey } from '../import-key.ts';
import { type KeyMetadata, mergeTexts } from '../key-metadata.ts';

/** The texts that somebody gives to a key of a group. */
export type KeyWithTexts = {
  readonly group: ImportGroup;
  readonly key: ImportKey;
  readonly texts: KeyMetadata;
};

/** Approximate bytes that an entry takes besides its texts. */
const ENTRY_BYTES = 200;

/** Labels, descriptions and attributes, held in memory until they are written. */
export class GatheredTexts {
  /** Approximate size in bytes. */
  sizeBytes = 0;
  readonly #byKey = new Map<string, KeyWithTexts>();
  /** Whether some texts wait in the database. */
  #areWaiting = false;

  /** Adds texts. Later ones win over earlier ones, each field separately. */
  add({ group, key, texts: later }: KeyWithTexts): void {
    const name = `${group.keysGroupId} ${key.text}`;
    const texts = mergeTexts(this.#byKey.get(name)?.texts, later);
    this.#byKey.set(name, { group, key, texts });
    this.sizeBytes += ENTRY_BYTES + 2 * (2 * key.text.length + JSON.stringify(later).length);
  }

  /**
   * Makes room: moves the texts to a temporary table in the database, where they lock out nobody.
   */
  async putAside(connection: Connection): Promise<void> {
    await upsertWaitingTexts(connection, this.#take());
    this.#areWaiting = true;
  }

  /** Writes all texts, and then holds none. */
  async write(connection: Connection): Promise<void> {
    const rest = this.#take();
    if (!this.#areWaiting) {
      if (rest.length > 0) await upsertKeyTexts(connection, rest);
      return;
    }
    await upsertWaitingTexts(connection, rest);
    await writeWaitingTexts(connection);
    this.#areWaiting = false;
  }

  #take(): KeyTextsUpsert[] {
    const all = [...this.#byKey.values()];
    this.#byKey.clear();
    this.sizeBytes = 0;
    return all.map(({ group, key, texts: { label, description, attributes } }) => ({
      groupId: group.keysGroupId,
      key: key.text,
      label,
      description,
      attributes: attributes ? JSON.stringify(attributes) : attributes,
    }));
  }
}
