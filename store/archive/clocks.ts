import type { Connection } from '../../db/connection/connection.ts';
import { selectClock } from '../../db/sql/server-state.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { isoTime } from '../../domain/time/iso-time.ts';

/** What the clocks of the database and of this machine say at the same moment. */
export type Clocks = {
  readonly database: EpochSeconds;
  /** How they differ, if they differ so much that nothing may be dropped by either; else null. */
  readonly difference: string | null;
};

/** Compares the database's clock with `now`, the clock of this machine in epoch seconds. */
export async function compareClocks(
  connection: Connection,
  now: () => EpochSeconds,
): Promise<Clocks> {
  const earliest = now();
  const database = await selectClock(connection);
  const latest = now();
  const isAlike =
    database >= earliest - LIMITS.clockDifferenceSeconds &&
    database <= latest + LIMITS.clockDifferenceSeconds;
  const difference = isAlike
    ? null
    : `the database's clock says ${isoTime(database)}, this machine's ${isoTime(latest)}: ` +
      'set the one that is wrong';
  return { database, difference };
}
