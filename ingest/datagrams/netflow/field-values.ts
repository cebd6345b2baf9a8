import { toWhole, type Whole } from '../../whole.ts';
import type { RecordForm } from './record-form.ts';

/** A record within a datagram, which is at `at`. */
export type DataRecord = { readonly form: RecordForm; readonly bytes: Buffer; at: number };

/** The largest upper half of a 64-bit number that a `number` holds exactly. */
const EXACT_UPPER = 2 ** 21 - 1;

/** Returns where a field of a record is; -1 if it has none. */
export const offsetOf = ({ form }: DataRecord, slot: number): number => form.offsets[slot] ?? -1;

/** Reads a number, rounded beyond 2^53; -1 if the record has no such field. */
export function numberIn(record: DataRecord, slot: number): number {
  const offset = record.form.offsets[slot] ?? -1;
  if (offset === -1) return -1;
  const { bytes } = record;
  const at = record.at + offset;
  const length = record.form.lengths[slot] ?? 1;
  switch (length) {
    case 1:
      return bytes.readUInt8(at);
    case 2:
      return bytes.readUInt16BE(at);
    case 4:
      return bytes.readUInt32BE(at);
    case 7:
    case 8:
      return bytes.readUIntBE(at, length - 4) * 2 ** 32 + bytes.readUInt32BE(at + length - 4);
    default:
      return bytes.readUIntBE(at, length);
  }
}

/** Reads an amount exactly; 0 if the record has no such field. */
export function amountIn(record: DataRecord, slot: number): Whole {
  const offset = record.form.offsets[slot] ?? -1;
  if (offset === -1) return 0;
  const at = record.at + offset;
  if (record.form.lengths[slot] === 8 && record.bytes.readUInt32BE(at) > EXACT_UPPER) {
    return toWhole(record.bytes.readBigUInt64BE(at));
  }
  return numberIn(record, slot);
}
