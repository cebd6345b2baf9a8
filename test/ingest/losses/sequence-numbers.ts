import type { ExportProtocol } from '../../../domain/exporters.ts';
import type { ExportNumber } from '../../../ingest/losses/export-number.ts';

/** A packet as an exporter sends it: its number, and how many flows it has. */
export type SentPacket = { readonly number: number; readonly flows: number };

/** How exporters number their packets. */
export const NUMBERINGS = {
  netflow5: (_: number, flowsBefore: number) => flowsBefore,
  netflow9: (packet: number) => packet,
  ipfix: (_: number, flowsBefore: number) => flowsBefore,
  ownIpfix: (_: number, flowsBefore: number, flows: number) => flowsBefore + flows,
  sflow: (packet: number) => packet,
} as const;

export type Numbering = keyof typeof NUMBERINGS;

export const protocolOf = (numbering: Numbering): ExportProtocol =>
  numbering === 'ownIpfix' ? 'ipfix' : numbering;

/** Packets with these numbers of flows, numbered from `start`. */
export function sentPackets(
  sizes: readonly number[],
  numbering: Numbering,
  start = 0,
): SentPacket[] {
  let before = 0;
  return sizes.map((flows, i) => {
    const number = (start + NUMBERINGS[numbering](i, before, flows)) % 2 ** 32;
    before += flows;
    return { number, flows };
  });
}

/** The lines of packets: one for each flow. */
export const numbersOf = (
  packets: readonly SentPacket[],
  numbering: Numbering,
  more: Partial<ExportNumber> = {},
): ExportNumber[] =>
  packets.flatMap(({ number, flows }) =>
    Array.from({ length: flows }, () => ({
      exporter: '192.0.2.1',
      domain: '',
      protocol: protocolOf(numbering),
      number,
      records: 1,
      near: 10_000,
      ...more,
    })),
  );
