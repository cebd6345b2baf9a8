import type { ImportFormat } from './import-format.ts';

/** A format in which each line is a JSON object, and how to recognize such an object. */
type JsonLineFormat = {
  readonly format: ImportFormat;
  /** Name of its lines in messages. */
  readonly name: string;
  readonly isOf: (record: object) => boolean;
};

const hasSome = (record: object, fields: readonly string[]): boolean =>
  fields.some((field) => field in record);

const FORMATS: readonly JsonLineFormat[] = [
  {
    format: 'pmacct',
    name: 'lines of pmacct',
    isOf: (record) =>
      ('event_type' in record && record.event_type === 'purge') ||
      hasSome(record, [
        'ip_src',
        'ip_dst',
        'port_src',
        'port_dst',
        'stamp_inserted',
        'stamp_updated',
      ]),
  },
  {
    format: 'goflow2',
    name: 'lines of goflow2',
    isOf: (record) =>
      hasSome(record, ['src_addr', 'dst_addr', 'time_received_ns', 'time_flow_start_ns']) ||
      hasSome(record, ['SrcAddr', 'DstAddr', 'TimeReceived', 'TimeFlowStart']),
  },
  {
    format: 'zeek',
    name: 'lines of a log of Zeek',
    isOf: (record) =>
      hasSome(record, ['id.orig_h', 'id.resp_h', 'id_orig_h', 'id_resp_h', '_path']),
  },
  {
    format: 'samples',
    name: 'samples',
    isOf: (record) => 'group' in record && 'values' in record,
  },
];

/** Returns the format of a line that is JSON of a format other than `format`; otherwise null. */
export function otherJsonFormat(
  line: string,
  format: ImportFormat,
): Pick<JsonLineFormat, 'format' | 'name'> | null {
  const record = objectOf(line);
  if (record === null) return null;
  const known = FORMATS.filter(({ isOf }) => isOf(record));
  return known.some((each) => each.format === format) ? null : (known[0] ?? null);
}

function objectOf(line: string): object | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as object;
  } catch {
    return null;
  }
}
