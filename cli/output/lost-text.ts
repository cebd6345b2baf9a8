import type { LossUnit, LostUnits } from '../../ingest/losses/export-number.ts';
import { LOSS_UNITS } from '../../ingest/losses/export-number.ts';
import type { ExporterLoss } from '../../ingest/losses/feed-losses.ts';
import { counted } from './counted.ts';

/** A packet that an exporter sends is no packet of the traffic that it tells of. */
const NAMES: Readonly<Record<LossUnit, string>> = {
  flows: 'flow',
  packets: 'export packet',
  datagrams: 'sFlow datagram',
};

/** What was lost, in words; null: nothing. */
export function lostText(lost: LostUnits): string | null {
  const parts = LOSS_UNITS.filter((unit) => lost[unit] > 0).map((unit) =>
    counted(lost[unit], NAMES[unit]),
  );
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Exporters that a line for people names. */
const NAMED = 5;

/** Of whom it was lost, those with the most first. */
export function losersText(exporters: readonly ExporterLoss[]): string {
  const named = exporters
    .slice(0, NAMED)
    .map(
      ({ exporter, domain, protocol, unit, lost }) =>
        `${counted(lost, NAMES[unit])} of ${exporter || 'an exporter'} ` +
        `(${protocol}${domain === '' ? '' : `, domain ${domain}`})`,
    );
  const others = exporters.length - named.length;
  return [...named, ...(others > 0 ? [`some of ${counted(others, 'other')}`] : [])].join(', ');
}
