import type { EpochSeconds } from '../time/interval.ts';

const DAY_SECONDS = 86_400;

/** A slice that ended by then is older than its context keeps it. */
export const keptSince = (retentionDays: number, now: EpochSeconds): EpochSeconds =>
  now - retentionDays * DAY_SECONDS;
