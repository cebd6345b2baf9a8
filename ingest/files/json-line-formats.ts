import type { ImportFormat } from './import-format.ts';

/** A format of which each line is a JSON object, and how such an object is known. */
type JsonLineFormat = {
  readonly format: ImportFormat;
  /** What messages call its lines. */
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
    isOf: (record) => hasSome(record, ['id.orig_h', 'id.resp_h', '_path']),
  },
  {
    format: 'samples',
    name: 'samples',
    isOf: (record) => 'group' in record && 'values' in record,
  },
];

/** The format that a line is of where it is JSON of another one than `format`; null elsewhere. */
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
