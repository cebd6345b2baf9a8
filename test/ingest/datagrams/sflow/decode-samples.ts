import { formatReadable } from '../../../../domain/keys/key-text.ts';
import type { DecodedDatagram } from '../../../../ingest/datagrams/datagram.ts';
import { createDatagramDecoder } from '../../../../ingest/decode-datagram.ts';
import type { Flow } from '../../../../ingest/flows/flow.ts';
import { sflowDatagram } from './encode-sflow.ts';

export const RECEIVED_MS = 1_700_000_000_123;

const decoder = createDatagramDecoder();

export const decode = (bytes: Buffer): DecodedDatagram =>
  decoder.decode({ bytes, address: '192.0.2.1', port: 40_000, receivedMs: RECEIVED_MS });

/** A flow as a line: `PROTOCOL FROM PORT > TO PORT, BYTES in PACKETS`. */
export function told({ protocol, ports, originator, responder }: Flow): string {
  const end = (side: Flow['originator'], port: number | null | undefined): string =>
    [formatReadable('ip', side.address ?? ''), port ?? ''].join(' ').trim();
  const from = end(originator, ports?.source);
  const to = end(responder, ports?.destination);
  return `${protocol} ${from} > ${to}, ${originator.bytes} in ${originator.packets}`;
}

/** What the datagram brought: flows, frames that are not IP, and refusals. */
export const outcome = (bytes: Buffer): string[] => {
  const { flows, skipped, refused } = decode(bytes);
  return [
    ...flows.map(told),
    ...Array.from({ length: skipped.notIp }, () => 'notIp'),
    ...Array.from(refused, ([reason, count]) => `${reason} ${count}`),
  ];
};

export const outcomeOf = (...samples: readonly Buffer[]): string[] =>
  outcome(sflowDatagram(samples));
