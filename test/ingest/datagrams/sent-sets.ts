import { expect } from 'vitest';
import type { DecodedDatagram } from '../../../ingest/datagrams/datagram.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import type { Flow } from '../../../ingest/flows/flow.ts';
import {
  dataSet,
  ipfixDatagram,
  netflow9Datagram,
  templateSet,
  type WrittenField,
  type WrittenTemplate,
  type WrittenValue,
} from './write-templates.ts';

/** When the datagrams of these tests are sent and received. */
export const NOW_S = 1_780_000_000;
export const NOW_MS = NOW_S * 1000;
export const NOW_US = NOW_S * 1e6;

/** The exporter's uptime at that time. */
export const UPTIME_MS = 500_000_000;

export type TemplateProtocol = 'netflow9' | 'ipfix';

type SentOptions = {
  readonly address?: string;
  readonly port?: number;
  readonly domain?: number;
  readonly sequence?: number;
  readonly seconds?: number;
  readonly uptimeMs?: number;
  readonly receivedMs?: number;
};

/** Returns a function that sends sets to a decoder, all from one exporter unless told otherwise. */
export function sender(decoder = createDatagramDecoder()) {
  return (
    protocol: TemplateProtocol,
    sets: readonly Buffer[],
    options: SentOptions = {},
  ): DecodedDatagram => {
    const { address = '192.0.2.1', port = 4321, domain = 0, sequence = 0 } = options;
    const { seconds = NOW_S, uptimeMs = UPTIME_MS, receivedMs = NOW_MS } = options;
    const bytes =
      protocol === 'ipfix'
        ? ipfixDatagram({ seconds, sequence, domain }, sets)
        : netflow9Datagram({ seconds, sequence, sourceId: domain, uptimeMs }, sets);
    return decoder.decode({ bytes, address, port, receivedMs });
  };
}

/** Fields with their values, as a record of a template of its own. */
export type WrittenRecord = readonly (readonly [
  id: number,
  length: number,
  value: WrittenValue,
  enterprise?: number,
])[];

export const templateOf = (
  record: WrittenRecord,
  id = 256,
  scope?: readonly WrittenField[],
): WrittenTemplate => {
  const fields = record.map(([field, length, , enterprise]) =>
    enterprise === undefined ? { id: field, length } : { id: field, length, enterprise },
  );
  return scope === undefined ? { id, fields } : { id, scope, fields };
};

export const valuesOf = (record: WrittenRecord): WrittenValue[] =>
  record.map(([, , value]) => value);

/** Sends a record with its template in one datagram. */
export function decodeRecord(
  protocol: TemplateProtocol,
  record: WrittenRecord,
  options: SentOptions = {},
): DecodedDatagram {
  const template = templateOf(record);
  const sets = [templateSet(protocol, [template]), dataSet(template, [valuesOf(record)])];
  return sender()(protocol, sets, options);
}

/** Decodes a record that brings a flow, and nothing else. */
export function flowOf(
  protocol: TemplateProtocol,
  record: WrittenRecord,
  options: SentOptions = {},
): Flow {
  const { flows, refused, skipped } = decodeRecord(protocol, record, options);
  expect({ flows: flows.length, refused: [...refused], skipped }).toEqual({
    flows: 1,
    refused: [],
    skipped: { events: 0, notIp: 0 },
  });
  const [flow] = flows;
  if (flow === undefined) throw new Error('there is no flow');
  return flow;
}

export const SOURCE = Buffer.from([10, 0, 0, 1]);
export const DESTINATION = Buffer.from([198, 51, 100, 7]);
export const SOURCE_KEY = '0A.00.00.01';
export const DESTINATION_KEY = 'C6.33.64.07';

export const IPV6_SOURCE = Buffer.from('20010db8000000000000000000000001', 'hex');
export const IPV6_DESTINATION = Buffer.from('20010db80000000000000000000000ff', 'hex');

/** Fields of a flow of TCP, without amounts and times. */
export const ENDS: WrittenRecord = [
  [8, 4, SOURCE],
  [12, 4, DESTINATION],
  [7, 2, 51_000],
  [11, 2, 443],
  [4, 1, 6],
];

/** A flow that was sent half a minute ago, at once. */
export const TRAFFIC: WrittenRecord = [...ENDS, [1, 4, 1500], [2, 4, 10]];
