import type { EpochSeconds } from '../time/interval.ts';

const DAY_SECONDS = 86_400;

/** Returns the time by which a slice must have ended to be older than its context keeps it. */
export const keptSince = (retentionDays: number, now: EpochSeconds): EpochSeconds =>
  now - retentionDays * DAY_SECONDS;
