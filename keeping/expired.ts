import { keptSince } from '../domain/slices/retention.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { SliceSelection } from './plan-slices.ts';

/** The slices that are older than a context keeps them, archived ones too. */
export const expiredSelection = (
  retentionDays: number,
  now: EpochSeconds,
): SliceSelection & { before: EpochSeconds } => ({
  before: keptSince(retentionDays, now),
  names: null,
  engine: null,
  pool: null,
});
