import type { DescribedKey } from '../keys/describe-keys.ts';
import { Tally } from './tally.ts';

/** Keys of a context at one version of its texts, those that were used last at the end. */
type ContextKeys = {
  readonly textVersion: number;
  readonly rows: Map<string, DescribedKey>;
  bytes: number;
};

/** Keys that are remembered of each context: some dashboards of a few hundred keys each. */
const MAX_KEYS = 20_000;

/** A key with more attributes than most is read each time, so that memory stays bounded. */
const MAX_ATTRIBUTES = 20;

/** About what a key takes besides the characters of its texts. */
const ENTRY_BYTES = 300;

/** Keys with their labels, which hold as long as no text of the context has changed. */
export class TextMemory {
  readonly tally = new Tally();
  readonly #contexts = new Map<string, ContextKeys>();

  get bytes(): number {
    return [...this.#contexts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  find(context: string, textVersion: number, key: string): DescribedKey | undefined {
    const known = this.#contexts.get(context);
    const row = known?.textVersion === textVersion ? known.rows.get(key) : undefined;
    this.tally.count(row ? 1 : 0, row ? 0 : 1);
    if (row) {
      known?.rows.delete(key);
      known?.rows.set(key, row);
    }
    return row;
  }

  keep(context: string, textVersion: number, key: string, row: DescribedKey): void {
    if (Object.keys(row.attributes ?? {}).length > MAX_ATTRIBUTES) return;
    const known = this.#contexts.get(context);
    if (known && known.textVersion > textVersion) return;
    const keys: ContextKeys =
      known?.textVersion === textVersion ? known : { textVersion, rows: new Map(), bytes: 0 };
    this.#contexts.set(context, keys);
    keys.bytes += bytesOf(row) - bytesOf(keys.rows.get(key));
    keys.rows.set(key, row);
    for (const [oldest, dropped] of keys.rows) {
      if (keys.rows.size <= MAX_KEYS) break;
      keys.rows.delete(oldest);
      keys.bytes -= bytesOf(dropped);
    }
  }

  clear(): void {
    this.#contexts.clear();
  }
}

function bytesOf(row: DescribedKey | undefined): number {
  if (!row) return 0;
  const { key, label, description, attributes } = row;
  const texts = [key, label, description, attributes && JSON.stringify(attributes)];
  return texts.reduce((sum, text) => sum + 2 * (text?.length ?? 0), ENTRY_BYTES);
}
