import type { EpochSeconds } from '../time/interval.ts';

/** `slice-20260715-1000`: its start in UTC, then `-1`, `-2` … for engine instances above 0. */
export function sliceName(startsAt: EpochSeconds, engine: number): string {
  const [date = '', time = ''] = new Date(startsAt * 1000).toISOString().split('T');
  const name = `slice-${date.replaceAll('-', '')}-${time.slice(0, 5).replace(':', '')}`;
  return engine === 0 ? name : `${name}-${engine}`;
}
