import type { ExporterSumsRow } from '../../db/sql/exporters.ts';
import { lossesOf, protocolLabel, refusalsOf, sumOfCounts } from '../../domain/exporters.ts';
import { printable } from '../../domain/text/printable.ts';
import { count } from './counted.ts';
import { lostText } from './lost-text.ts';
import { type TextColumn, textTable } from './text-table.ts';

/** Returns an exporter as a line of JSON, with the fields of the GraphQL type. */
export const exporterJson = (exporter: ExporterSumsRow): string =>
  JSON.stringify({
    address: exporter.address,
    protocols: exporter.protocols.map(protocolLabel),
    firstSeen: Math.floor(exporter.firstSeen),
    lastSeen: Math.floor(exporter.lastSeen),
    flows: exporter.flows,
    lost: sumOfCounts(lossesOf(exporter)),
    losses: lossesOf(exporter),
    refused: sumOfCounts(refusalsOf(exporter.refused)),
    refusals: refusalsOf(exporter.refused),
    waitingForTemplate: exporter.waitingForTemplate,
    samplingRates: exporter.samplingRates,
    clockAheadSeconds: exporter.clockAheadSeconds,
    doubts: exporter.doubts,
  });

/** Formats exporters as a table, and below it what was refused and what is doubtful. */
export function exporterLines(exporters: readonly ExporterSumsRow[]): string[] {
  if (exporters.length === 0) return [];
  return [...textTable(COLUMNS, exporters), ...exporters.flatMap(remarksOn)].map(printable);
}

const COLUMNS: readonly TextColumn<ExporterSumsRow>[] = [
  { head: 'ADDRESS', cell: ({ address }) => address },
  { head: 'PROTOCOLS', cell: ({ protocols }) => protocols.map(protocolLabel).join(', ') || '-' },
  { head: 'LAST SEEN (UTC)', cell: ({ lastSeen }) => secondText(lastSeen) },
  { head: 'FLOWS', isNumber: true, cell: ({ flows }) => count(flows) },
  { head: 'LOST', cell: (exporter) => lossText(exporter) },
  {
    head: 'REFUSED',
    isNumber: true,
    cell: ({ refused }) => count(sumOfCounts(refusalsOf(refused))),
  },
  {
    head: 'WAITING',
    isNumber: true,
    cell: ({ waitingForTemplate }) => count(waitingForTemplate),
  },
  { head: 'SAMPLING', cell: ({ samplingRates }) => samplingText(samplingRates) },
  { head: 'CLOCK', isNumber: true, cell: (exporter) => clockText(exporter.clockAheadSeconds) },
];

const secondText = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ');

const lossText = ({ lostFlows, lostPackets, lostDatagrams }: ExporterSumsRow): string =>
  lostText({ flows: lostFlows, packets: lostPackets, datagrams: lostDatagrams }) ?? '-';

/** One packet of so many is reported. */
const samplingText = (rates: readonly number[]): string =>
  rates.map((rate) => (rate === 1 ? 'none' : `1:${count(rate)}`)).join(', ') || '-';

/** Tenths of seconds: below, it is the network that delays datagrams. */
function clockText(aheadSeconds: number | null): string {
  if (aheadSeconds === null) return '-';
  const tenths = Math.round(aheadSeconds * 10) / 10;
  const digits = { minimumFractionDigits: 1 };
  return `${tenths > 0 ? '+' : ''}${(tenths || 0).toLocaleString('en', digits)} s`;
}

function remarksOn({ address, refused, doubts }: ExporterSumsRow): string[] {
  const parts = refusalsOf(refused).map((each) => `${count(each.count)} × ${each.reason}`);
  const remarks = [...(parts.length > 0 ? [`refused ${parts.join(', ')}`] : []), ...doubts];
  return remarks.map((remark) => `${address}: ${remark}`);
}
