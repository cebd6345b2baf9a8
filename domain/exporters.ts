/** The protocols in which exporters report flows, and what their sequence numbers count. */
export const EXPORT_PROTOCOLS = {
  netflow5: { label: 'NetFlow v5', unit: 'flows' },
  netflow9: { label: 'NetFlow v9', unit: 'packets' },
  ipfix: { label: 'IPFIX', unit: 'flows' },
  sflow: { label: 'sFlow', unit: 'datagrams' },
} as const;

export type ExportProtocol = keyof typeof EXPORT_PROTOCOLS;

const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries(EXPORT_PROTOCOLS).map(([protocol, { label }]) => [protocol, label]),
);

/** Returns the label of a stored protocol; one that only a newer version knows is its own label. */
export const protocolLabel = (protocol: string): string => LABELS.get(protocol) ?? protocol;

/** Flow records, packets of NetFlow v9 with any number of flow records, or datagrams of sFlow. */
export const LOSS_UNITS = ['flows', 'packets', 'datagrams'] as const;

export type LossUnit = (typeof LOSS_UNITS)[number];

/** How much was lost, in each unit that protocols count. */
export type LostUnits = Readonly<Record<LossUnit, number>>;

/** Why a datagram of an exporter, or a part of it, is refused. */
export const DATAGRAM_REFUSALS = {
  unknownVersion: 'neither NetFlow 5 or 9, IPFIX, nor sFlow 5',
  truncated: 'shorter than it says',
  badLength: 'with a length that cannot be',
  badTemplate: 'a template that cannot be',
  noTemplate: 'data whose template did not arrive in time',
  badTime: 'a flow of an impossible time, or of more than a day',
  badAmount: 'a flow of more than can be counted',
} as const;

export type DatagramRefusal = keyof typeof DATAGRAM_REFUSALS;

const WORDS: ReadonlyMap<string, string> = new Map(Object.entries(DATAGRAM_REFUSALS));

/** Returns a stored reason in words; one that only a newer version knows stays as it is. */
const refusalText = (reason: string): string => WORDS.get(reason) ?? reason;

/** How much was lost in one unit. */
export type CountedLoss = { readonly unit: LossUnit; readonly count: number };

type StoredLosses = {
  readonly lostFlows: number;
  readonly lostPackets: number;
  readonly lostDatagrams: number;
};

/** Returns stored losses by unit, without the units in which nothing was lost. */
export function lossesOf({ lostFlows, lostPackets, lostDatagrams }: StoredLosses): CountedLoss[] {
  const lost: LostUnits = { flows: lostFlows, packets: lostPackets, datagrams: lostDatagrams };
  return LOSS_UNITS.map((unit) => ({ unit, count: lost[unit] })).filter(({ count }) => count > 0);
}

/** How much was refused for one reason, in words. */
export type CountedRefusal = { readonly reason: string; readonly count: number };

/** Returns stored refusals by reason, most first. */
export const refusalsOf = (refused: Readonly<Record<string, number>>): CountedRefusal[] =>
  Object.entries(refused)
    .map(([reason, count]) => ({ reason: refusalText(reason), count }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));

export const sumOfCounts = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);
