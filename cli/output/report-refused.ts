import type { RefusedRemoval } from '../../db/sql/remove-partitions.ts';

/** Names partitions of pages that are not needed but could not be removed. */
export function reportRefused(refused: readonly RefusedRemoval[]): void {
  for (const { partition, reason } of refused) {
    console.error(
      `${partition} is not needed, but cannot be removed (${reason}): ` +
        'drop this table, or remove the reason; until then its space is not freed',
    );
  }
}
