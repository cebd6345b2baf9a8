import { shown } from '../../../domain/errors.ts';
import { protocolNumber } from '../../../domain/keys/ip-protocols.ts';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type Flow, UNKNOWN_PROTOCOL } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { hasSome, type JsonLineKind } from '../../lines/json-line.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  durationIn,
  icmpOf,
  integerIn,
  portsIn,
  requiredIn,
} from '../fields/flow-fields.ts';
import { type FlowSpan, flowSpan } from '../fields/flow-span.ts';
import { createZeekReader, type ZeekRecord, zeekTime } from './zeek-log.ts';

/**
 * Returns a parser of the lines of a Zeek `conn.log`, in order. It returns null for a line without
 * a flow.
 */
export function createZeekConnParser(): (line: string) => Flow | null {
  const read = createZeekReader('conn');
  const addressOf = addressReader();
  return (line) => {
    const record = read(line);
    return record && flowOf(record, addressOf);
  };
}

function flowOf(record: ZeekRecord, addressOf: AddressReader): Flow {
  const originator = addressIn(record, 'id.orig_h', addressOf);
  const responder = addressIn(record, 'id.resp_h', addressOf);
  const protocol = protocolIn(record, originator);
  // Bytes as IP counts them, headers included, if the log has them.
  const hasIpBytes = record.has('orig_ip_bytes') || record.has('resp_ip_bytes');
  const span = spanIn(record);
  return {
    startUs: span.startUs,
    durationUs: span.durationUs,
    protocol,
    ports: portsIn(record, protocol, { source: null, destination: 'id.resp_p' }),
    portRule: 'destination',
    originator: {
      address: originator,
      bytes: countIn(record, hasIpBytes ? 'orig_ip_bytes' : 'orig_bytes'),
      packets: countIn(record, 'orig_pkts'),
    },
    responder: {
      address: responder,
      bytes: countIn(record, hasIpBytes ? 'resp_ip_bytes' : 'resp_bytes'),
      packets: countIn(record, 'resp_pkts'),
    },
  };
}

function spanIn(record: ZeekRecord): FlowSpan {
  const startUs = zeekTime(record);
  const durationUs = durationIn(record, 'duration');
  return flowSpan(startUs, startUs + durationUs) ?? { startUs, durationUs };
}

function protocolIn(record: ZeekRecord, originator: KeyText): number {
  if (record.text('ip_proto') !== undefined) return integerIn(record, 'ip_proto', 255);
  const name = requiredIn(record, 'proto');
  if (name === 'unknown_transport') return UNKNOWN_PROTOCOL;
  const protocol = protocolNumber(name);
  if (protocol === null) {
    throw new BadLine(`proto must be the name of an IP protocol, got ${shown(name)}`);
  }
  return icmpOf(protocol, originator);
}

export const ZEEK_LINES: JsonLineKind = {
  name: 'lines of a log of Zeek',
  isOf: (record) => hasSome(record, ['id.orig_h', 'id.resp_h', 'id_orig_h', 'id_resp_h', '_path']),
};
