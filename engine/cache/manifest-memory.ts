import type { Manifest } from '../../store/read/manifest.ts';
import { Tally } from './tally.ts';

/** Approximate size of a segment besides its directory, which is usually decoded too. */
const SEGMENT_BYTES = 400;

/** Whose manifest it is: a context on a node, in one history of the node's database. */
export type ManifestOwner = {
  /** Names the context and the node. */
  readonly name: string;
  /** Changes of segments continue a manifest only within one history. */
  readonly history: string;
};

/** A cache of the newest manifest of each context that was read, on each node. */
export class ManifestMemory {
  readonly tally = new Tally();
  readonly #manifests = new Map<string, { history: string; manifest: Manifest }>();

  get bytes(): number {
    let bytes = 0;
    for (const { manifest } of this.#manifests.values()) {
      for (const kind of [manifest.segments, manifest.rollUps]) {
        for (const { directoryBytes } of kind.values()) bytes += SEGMENT_BYTES + directoryBytes;
      }
    }
    return bytes;
  }

  /**
   * Returns the manifest of a context at this version and layout. The caller that reads it counts
   * the miss.
   */
  find(owner: ManifestOwner, { version, layout }: Pick<Manifest, 'version' | 'layout'>) {
    const known = this.newest(owner);
    const found = known?.layout === layout && known.version === version ? known : undefined;
    if (found) this.tally.count(1, 0);
    return found;
  }

  /** Returns the newest cached manifest; only the changes since then need to be read. */
  newest({ name, history }: ManifestOwner): Manifest | undefined {
    const known = this.#manifests.get(name);
    return known?.history === history ? known.manifest : undefined;
  }

  /** Also replaces the manifest of an earlier history. */
  keep(owner: ManifestOwner, manifest: Manifest): void {
    const known = this.newest(owner);
    if (known && known.layout > manifest.layout) return;
    this.#manifests.set(owner.name, { history: owner.history, manifest });
  }

  forget({ name }: ManifestOwner): void {
    this.#manifests.delete(name);
  }

  clear(): void {
    this.#manifests.clear();
  }
}
