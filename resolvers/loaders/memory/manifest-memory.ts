import type { Manifest } from '../../../store/read/manifest.ts';
import { Tally } from './tally.ts';

/** About what a segment takes besides its directory, which is mostly decoded as well. */
const SEGMENT_BYTES = 400;

/** The newest manifest of each context that was read. */
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

  /** Which segments there are at these numbers of a context. */
  find(context: string, { version, layout }: Pick<Manifest, 'version' | 'layout'>) {
    const known = this.#manifests.get(context);
    const found = known?.layout === layout && known.version === version ? known : undefined;
    this.tally.count(found ? 1 : 0, found ? 0 : 1);
    return found;
  }

  /** The newest, of which only what has changed since need be read. */
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
