import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';
import { MAY_KEEP } from '../select-upkeep.ts';

/** What the evaluator reads every second, so it must be cheap. */
export type Watch = {
  /** Whether decisions cannot be stored: on a standby, or as a role that may only read. */
  readonly isReader: boolean;
  /** The database's clock, epoch seconds. */
  readonly now: EpochSeconds;
  /** Events that are firing. */
  readonly firing: number;
  /**
   * Enabled rules, with the version of their context's data and its nonce: after a failover or a
   * restore that lost commits, a version may occur again.
   */
  readonly rules: readonly { readonly alertId: number; readonly version: string }[];
};

export async function selectWatch(connection: Connection): Promise<Watch> {
  const { rows } = await connection.query<Watch>(
    `select not ${MAY_KEEP} as "isReader",
       floor(extract(epoch from clock_timestamp()))::float8 as now,
       (select count(*)::int from alert_events where ended_at is null) as firing,
       (select coalesce(json_agg(json_build_object('alertId', a.alert_id,
           'version', v.version || ' ' || v.nonce)
           order by a.alert_id), '[]')
         from alerts a join context_versions v using (context_id)
         where a.superseded_at is null and a.enabled) as rules`,
  );
  const [watch] = rows;
  if (!watch) throw new Error('a statement of one row gave none');
  return watch;
}
