import { countWaitingDeliveries } from '../../../db/sql/alert-deliveries.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { NotificationTally } from './notification-tally.ts';
import type { OnDatabase } from './one-at-a-time.ts';

export type WaitingCounterOptions = {
  readonly onDatabase: OnDatabase;
  readonly tally: NotificationTally;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
};

/**
 * Counts the deliveries that wait, for metrics. A count reads them, and the notifier sends nothing
 * meanwhile, so the longer a count takes, the longer the pause after it.
 */
export class WaitingCounter {
  readonly #options: WaitingCounterOptions;
  #againAt = 0;

  constructor(options: WaitingCounterOptions) {
    this.#options = options;
  }

  /** Counts, unless the pause after the last count is not over. */
  async count(): Promise<void> {
    const { onDatabase, tally, now = () => performance.now() } = this.#options;
    if (now() < this.#againAt) return;
    await onDatabase(async (connection) => {
      const begunAt = now();
      tally.noteWaiting(await countWaitingDeliveries(connection, LIMITS.countedDeliveries));
      this.#againAt = now() + LIMITS.waitingCountPause * (now() - begunAt);
    });
  }
}
