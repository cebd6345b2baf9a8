import type { EpochSeconds } from '../domain/interval.ts';
import type { SliceSelection } from './plan-slices.ts';

const DAY_SECONDS = 86_400;

/** The slices that are older than a context keeps them, archived ones too. */
export const expiredSelection = (
  retentionDays: number,
  now: EpochSeconds,
): SliceSelection & { before: EpochSeconds } => ({
  ...{ before: now - retentionDays * DAY_SECONDS, names: null, engine: null, pool: null },
});
