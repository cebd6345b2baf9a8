/** The protocols in which exporters report flows, and what their sequence numbers count. */
export const EXPORT_PROTOCOLS = {
  netflow5: { label: 'NetFlow v5', unit: 'flows' },
  netflow9: { label: 'NetFlow v9', unit: 'packets' },
  ipfix: { label: 'IPFIX', unit: 'flows' },
  sflow: { label: 'sFlow', unit: 'datagrams' },
} as const;

export type ExportProtocol = keyof typeof EXPORT_PROTOCOLS;

/** Flow records, packets of NetFlow v9 with any number of flow records, or datagrams of sFlow. */
export const LOSS_UNITS = ['flows', 'packets', 'datagrams'] as const;

export type LossUnit = (typeof LOSS_UNITS)[number];

/** How much was lost, in each unit that protocols count. */
export type LostUnits = Readonly<Record<LossUnit, number>>;

/** What a line says about the packet that brought its flow. */
export type ExportNumber = {
  /** Address of the exporter; empty if the line does not say it. */
  readonly exporter: string;
  /** Distinguishes the exporter's sequences: domain or engine; empty if nothing does. */
  readonly domain: string;
  readonly protocol: ExportProtocol;
  /** The sequence number of the packet, 0 to 2^32-1. */
  readonly number: number;
  /** Number of the packet's flow records that the line covers. */
  readonly records: number;
  /** Maximum distance of the number from others of its sequence. */
  readonly near: number;
};
