import type { ExportProtocol } from '../../../domain/exporters.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { ExportNumber } from '../../losses/export-number.ts';
import { sequenceNumberIn } from '../fields/export-fields.ts';
import type { FlowRecord } from '../fields/flow-fields.ts';

const PROTOCOLS: ReadonlyMap<string, ExportProtocol> = new Map([
  ['NETFLOW_V5', 'netflow5'],
  ['NETFLOW_V9', 'netflow9'],
  ['IPFIX', 'ipfix'],
  ['SFLOW_5', 'sflow'],
]);

/**
 * Returns what a goflow2 line says about the packet that brought its flow; a line is a record.
 * goflow2 does not report the engine of NetFlow v5 or the sub-agent of sFlow. It reports the
 * observation domain of the other protocols only if its `mapping` asks for it.
 */
export function goflow2Sequence(record: FlowRecord): ExportNumber | null {
  const protocol = PROTOCOLS.get(record.text('type') ?? '');
  const number = sequenceNumberIn(record, 'sequence_num');
  if (protocol === undefined || number === null) return null;
  const tellsDomain = protocol === 'netflow9' || protocol === 'ipfix';
  const domain = tellsDomain ? record.text('observation_domain_id') : undefined;
  return {
    exporter: record.text('sampler_address') ?? '',
    domain: domain ?? '',
    protocol,
    number,
    records: 1,
    near: domain === undefined ? LIMITS.lossNearNumbers : LIMITS.lossNearNumbersOfOne,
  };
}
