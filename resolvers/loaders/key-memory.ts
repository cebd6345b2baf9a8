import type { KeyRow } from '../../db/queries/key-columns.ts';

/** Keys of a context at one version of its texts, those that were used last at the end. */
type ContextKeys = { readonly textVersion: number; readonly rows: Map<string, KeyRow> };

/** Keys that are remembered of each context: some dashboards of a few hundred keys each. */
const MAX_KEYS = 20_000;

/** A key with more attributes than most is read each time, so that memory stays bounded. */
const MAX_ATTRIBUTES = 20;

/** Keys with their labels, which hold as long as no text of the context has changed. */
export class KeyMemory {
  readonly #contexts = new Map<string, ContextKeys>();

  find(context: string, textVersion: number, key: string): KeyRow | undefined {
    const known = this.#contexts.get(context);
    if (known?.textVersion !== textVersion) return undefined;
    const row = known.rows.get(key);
    if (row) {
      known.rows.delete(key);
      known.rows.set(key, row);
    }
    return row;
  }

  keep(context: string, textVersion: number, key: string, row: KeyRow): void {
    if (Object.keys(row.attributes ?? {}).length > MAX_ATTRIBUTES) return;
    const known = this.#contexts.get(context);
    if (known && known.textVersion > textVersion) return;
    const keys =
      known?.textVersion === textVersion ? known : { textVersion, rows: new Map<string, KeyRow>() };
    this.#contexts.set(context, keys);
    keys.rows.set(key, row);
    for (const oldest of keys.rows.keys()) {
      if (keys.rows.size <= MAX_KEYS) break;
      keys.rows.delete(oldest);
    }
  }

  clear(): void {
    this.#contexts.clear();
  }
}
