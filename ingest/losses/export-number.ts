import type { ExportProtocol } from '../../domain/exporters.ts';

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
