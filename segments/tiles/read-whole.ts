import { ByteReader } from '../codes/bytes.ts';
import { DamagedSegment } from '../damaged-segment.ts';

/** Reads a section that must hold nothing else. Errors: DamagedSegment. */
export function readWhole<Result>(
  section: Uint8Array,
  read: (reader: ByteReader) => Result,
): Result {
  const reader = new ByteReader(section);
  const result = read(reader);
  if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
  return result;
}
