import type { EpochSeconds } from '../time/interval.ts';

export type SliceStatus = 'available' | 'processing' | 'archived';

/**
 * Returns the status of a slice (decision 17): it is processing while an import holds it or its end
 * is in the future. An archived slice cannot be filled, so `archived` comes first.
 */
export function sliceStatus(
  {
    archived,
    held,
    endsAt,
  }: { readonly archived: boolean; readonly held: boolean; readonly endsAt: EpochSeconds },
  now: EpochSeconds,
): SliceStatus {
  if (archived) return 'archived';
  return held || endsAt > now ? 'processing' : 'available';
}
