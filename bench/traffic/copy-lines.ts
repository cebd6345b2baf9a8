import { LineBytes } from './line-bytes.ts';
import { generateTraffic, METERS, type TrafficShape } from './traffic.ts';

/** The samples as lines for PostgreSQL's COPY: key id, bucket, and the meters' readings. */
export function* copyLines(shape: TrafficShape): Generator<Buffer> {
  const tab = Buffer.from('\t');
  const end = Buffer.from('\n');
  const lines = new LineBytes();
  for (const { start, count, keys, readings } of generateTraffic(shape)) {
    for (let i = 0; i < count; i += 1) {
      lines.number(keys[i] ?? 0);
      lines.bytes(tab);
      lines.number(start);
      for (let meter = 0; meter < METERS.length; meter += 1) {
        lines.bytes(tab);
        lines.number(readings[meter]?.[i] ?? 0);
      }
      lines.bytes(end);
    }
    if (lines.isBlock) yield lines.take();
  }
  yield lines.take();
}
