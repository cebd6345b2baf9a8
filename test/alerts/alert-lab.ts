import { group, guidOf, type Lab, startLab, T0 } from '../support/lab/lab.ts';
import type { Line } from '../support/lab/service.ts';
import { CONTEXT } from '../support/lab/service.ts';

/** Seconds of a topper bucket: windows end at each multiple of it. */
export const GRID = 300;

export const GROUP = guidOf(1);

export type StoredEvent = {
  readonly alert: string;
  readonly key: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly value: number;
  readonly peakValue: number;
};

/** A reading of the group's counter in the bucket `second` seconds after T0. */
export const reading = (key: string, second: number, value: number): Line => ({
  group: GROUP,
  key,
  ts: T0 + second,
  values: { 0: value },
});

/** The end of the n-th window after T0. */
export const windowEnd = (n: number): number => T0 + n * GRID;

export type AlertLab = Awaited<ReturnType<typeof startAlertLab>>;

/** A service with one group, which decides windows only when the test says so. */
export async function startAlertLab({ groups = [group(1)], ...options }: Partial<Lab> = {}) {
  const service = await startLab({ groups, ...options });
  return {
    ...service,
    /** Declares rules about the group, with these fields besides name and group. */
    declare: (rules: Readonly<Record<string, object>>) =>
      service.apply({
        context: CONTEXT,
        alerts: Object.entries(rules).map(([name, rule]) => {
          const defaults = { name, group: GROUP };
          return Object.assign(defaults, rule);
        }),
      }),
    /** All events, or those of a rule and its earlier revisions, by rule, start and key. */
    events: (alert?: string) =>
      service.sql<StoredEvent>(
        `select a.name as alert, e.key, e.started_at::float8 as "startedAt",
           e.ended_at::float8 as "endedAt", e.value::float8 as value,
           e.peak_value::float8 as "peakValue"
         from alert_events e join alerts a using (alert_id)
         where $1::text is null or a.name = $1
         order by a.name, e.started_at, coalesce(e.key, '')`,
        [alert ?? null],
      ),
  };
}
