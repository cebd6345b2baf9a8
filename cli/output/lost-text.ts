import { LOSS_UNITS, type LossUnit, type LostUnits } from '../../domain/exporters.ts';
import { printable } from '../../domain/text/printable.ts';
import type { ExporterLoss } from '../../ingest/losses/feed-losses.ts';
import { counted } from './counted.ts';

/**
 * Names of the units. A packet that an exporter sends is not a packet of the traffic it reports.
 */
const NAMES: Readonly<Record<LossUnit, string>> = {
  flows: 'flow',
  packets: 'export packet',
  datagrams: 'sFlow datagram',
};

/** Describes what was lost; null if nothing was. */
export function lostText(lost: LostUnits): string | null {
  const parts = LOSS_UNITS.filter((unit) => lost[unit] > 0).map((unit) =>
    counted(lost[unit], NAMES[unit]),
  );
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Maximum number of exporters that a line names. */
const NAMED = 5;

/** Describes the losses by exporter, largest first. */
export function losersText(exporters: readonly ExporterLoss[]): string {
  const named = exporters
    .slice(0, NAMED)
    .map(
      ({ exporter, domain, protocol, unit, lost }) =>
        `${counted(lost, NAMES[unit])} of ${printable(exporter) || 'an exporter'} ` +
        `(${protocol}${domain === '' ? '' : `, domain ${printable(domain)}`})`,
    );
  const others = exporters.length - named.length;
  return [...named, ...(others > 0 ? [`some of ${counted(others, 'other')}`] : [])].join(', ');
}
