import { shown } from '../../domain/errors.ts';
import { ToolFault } from '../tool-fault.ts';
import type { KnownGroup, KnownMeter } from './known-context.ts';
import { listText } from './list-text.ts';

/**
 * Finds a meter by number or by name, ignoring case. Error: `ToolFault`, which lists the meters.
 */
export function findMeter({ name, meters }: KnownGroup, given: number | string): KnownMeter {
  const found =
    meters.find(({ index }) => String(index) === String(given).trim()) ?? named(meters, given);
  if (found && found.type !== 'VT_INVALID') return found;
  const rankable = meters.filter(({ type }) => type !== 'VT_INVALID').map(meterText);
  const list = rankable.length === 0 ? 'none' : listText(rankable);
  const wrong = found
    ? `The meter ${meterText(found)} of ${name} cannot be ranked`
    : `No meter ${shown(given)} in ${name}`;
  throw new ToolFault(`${wrong}; the meters are: ${list}`);
}

function named(meters: readonly KnownMeter[], given: number | string): KnownMeter | undefined {
  const wanted = String(given).trim().toLowerCase();
  const isWanted = (text: string) => text.toLowerCase() === wanted;
  return (
    meters.find(({ name }) => isWanted(name)) ??
    meters.find(({ description }) => isWanted(description))
  );
}

/** Formats a meter: `0 Total (bytes)`. */
export const meterText = ({ index, name, units }: KnownMeter): string =>
  units === '' ? `${index} ${name}` : `${index} ${name} (${units})`;
