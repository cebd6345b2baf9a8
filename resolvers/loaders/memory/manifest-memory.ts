import type { Manifest } from '../../../store/read/manifest.ts';
import { Tally } from './tally.ts';

/** Approximate size of a segment besides its directory, which is usually decoded too. */
const SEGMENT_BYTES = 400;

/** A cache of the newest manifest of each context that was read. */
export class ManifestMemory {
  readonly tally = new Tally();
  readonly #manifests = new Map<string, Manifest>();

  get bytes(): number {
    let bytes = 0;
    for (const { segments, rollUps } of this.#manifests.values()) {
      for (const kind of [segments, rollUps]) {
        for (const { directoryBytes } of kind.values()) bytes += SEGMENT_BYTES + directoryBytes;
      }
    }
    return bytes;
  }

  /**
   * Returns the manifest of a context at this version and layout. The caller that reads it counts
   * the miss.
   */
  find(context: string, { version, layout }: Pick<Manifest, 'version' | 'layout'>) {
    const known = this.#manifests.get(context);
    const found = known?.layout === layout && known.version === version ? known : undefined;
    if (found) this.tally.count(1, 0);
    return found;
  }

  /** Returns the newest cached manifest; only the changes since then need to be read. */
  newest(context: string): Manifest | undefined {
    return this.#manifests.get(context);
  }

  keep(context: string, manifest: Manifest): void {
    const known = this.#manifests.get(context);
    if (!known || known.layout <= manifest.layout) this.#manifests.set(context, manifest);
  }

  forget(context: string): void {
    this.#manifests.delete(context);
  }

  clear(): void {
    this.#manifests.clear();
  }
}
