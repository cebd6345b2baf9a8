import { keptSince } from '../domain/slices/retention.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { SliceSelection } from './plan-slices.ts';

/** Selects the slices that are older than the context's retention, archived ones included. */
export const expiredSelection = (
  retentionDays: number,
  now: EpochSeconds,
): SliceSelection & { before: EpochSeconds } => ({
  before: keptSince(retentionDays, now),
  names: null,
  engine: null,
  pool: null,
});
