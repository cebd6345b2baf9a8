import type { LimitNetworks } from '../../domain/callers/grant-limit.ts';
import type { KeyCodec, KeyKinds } from '../../segments/keys/key-codec.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';

/** Which keys of a segment may be seen: those in networks. Limits of the same name are the same. */
export type KeyLimit = {
  readonly name: string;
  readonly networks: LimitNetworks;
  readonly codec: KeyCodec;
  readonly kinds: KeyKinds;
};

/**
 * A segment as the caller may see it. The engine reads no other: what it takes from a segment with
 * a limit, it takes through that limit. null: the caller may see all of it.
 */
export type ScopedSegment = StoredSegment & { readonly limit: KeyLimit | null };

export type ScopedRollUp = ScopedSegment & { readonly sources: readonly number[] };

/** Segments of any groups: those to read, and the roll-ups that may be read instead. */
export type ScopedSegments = {
  readonly segments: readonly ScopedSegment[];
  readonly rollUps: readonly ScopedRollUp[];
};
