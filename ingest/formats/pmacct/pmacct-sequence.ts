import type { ExportProtocol } from '../../../domain/exporters.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ExportNumber } from '../../losses/export-number.ts';
import { sequenceNumberIn } from '../fields/export-fields.ts';
import type { FlowRecord } from '../fields/flow-fields.ts';

/**
 * sfacctd also writes 5, for sFlow. It has fewer numbers than lines, so none appear to be missing.
 */
const PROTOCOLS: ReadonlyMap<string, ExportProtocol> = new Map([
  ['5', 'netflow5'],
  ['9', 'netflow9'],
  ['10', 'ipfix'],
]);

/**
 * Returns what an nfacctd line says about the packet that brought its flows, if `aggregate`
 * includes it. Flows of one packet that are otherwise alike share a line, and `flows` says how
 * many.
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
