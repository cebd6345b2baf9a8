import { LIMITS } from '../../../domain/limits.ts';
import type { ExportNumber, ExportProtocol } from '../../losses/export-number.ts';
import { sequenceNumberIn } from '../fields/export-fields.ts';
import type { FlowRecord } from '../fields/flow-fields.ts';

/** sfacctd writes 5 of sFlow, too: its numbers are fewer than its lines, so that none lack. */
const PROTOCOLS: ReadonlyMap<string, ExportProtocol> = new Map([
  ['5', 'netflow5'],
  ['9', 'netflow9'],
  ['10', 'ipfix'],
]);

/**
 * What a line of nfacctd says of the packet that brought its flows, where `aggregate` lists it. Flows
 * of one packet that are alike otherwise are a line of their own, and `flows` says how many.
 */
export function pmacctSequence(record: FlowRecord): ExportNumber | null {
  const protocol = PROTOCOLS.get(record.text('export_proto_version') ?? '');
  const number = sequenceNumberIn(record, 'export_proto_seqno');
  if (protocol === undefined || number === null) return null;
  return {
    exporter: record.text('peer_ip_src') ?? '',
    domain: record.text('export_proto_sysid') ?? '',
    protocol,
    number,
    records: sequenceNumberIn(record, 'flows') || 1,
    near: LIMITS.lossNearNumbersOfOne,
  };
}
