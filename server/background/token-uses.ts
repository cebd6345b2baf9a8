import { withConnection } from '../../db/connection/with-connection.ts';
import { isPassing, isReadOnly } from '../../db/database-error.ts';
import { selectUpkeep } from '../../db/sql/server-state.ts';
import { type TokenUse, updateLastUses } from '../../db/sql/tokens.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { TokenUses } from '../admission/token-uses.ts';
import type { Logger } from '../telemetry/log.ts';
import { type BackgroundWork, type Delays, workInBackground } from './background-work.ts';

export type KeepTokenUsesOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly tokenUses: TokenUses;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
};

const DELAYS = { firstMs: LIMITS.tokenUsesEveryMs, everyMs: LIMITS.tokenUsesEveryMs };

/**
 * Writes now and then when tokens were last used, with one statement for all. A database that
 * cannot be written to is left as it is.
 */
export function keepTokenUses(options: KeepTokenUsesOptions): BackgroundWork {
  // A default for undefined only: null means without timers.
  const { databaseUrl, log, tokenUses, delays = DELAYS } = options;

  const write = (uses: readonly TokenUse[]): Promise<void> =>
    withConnection({ databaseUrl }, 'token uses', async (connection) => {
      if ((await selectUpkeep(connection)) === 'keeps') await updateLastUses(connection, uses);
    });

  async function check(): Promise<void> {
    const uses = tokenUses.take();
    if (uses.length === 0) return;
    try {
      await write(uses);
    } catch (err) {
      if (isReadOnly(err)) return;
      tokenUses.add(uses);
      // Others report a database that is away.
      const level = isPassing(err) ? 'debug' : 'error';
      log[level]({ err }, 'the last uses of tokens cannot be written, which is retried');
    }
  }

  const work = workInBackground(check, delays, log);
  return {
    runOnce: work.runOnce,
    async stop() {
      await work.stop();
      await check();
    },
  };
}
