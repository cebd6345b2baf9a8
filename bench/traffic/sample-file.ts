import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LineBytes } from './line-bytes.ts';
import { generateTraffic, METERS, type TrafficShape, trafficKeys } from './traffic.ts';

/** Writes the samples as the `samples` import format has them (NDJSON, a sample a line). */
export async function writeSampleFile(
  file: string,
  shape: TrafficShape,
  group: string,
): Promise<void> {
  await pipeline(Readable.from(sampleLines(shape, group)), createWriteStream(file));
}

function* sampleLines(shape: TrafficShape, group: string): Generator<Buffer> {
  const head = Buffer.from(`{"group":"${group}","key":"`);
  const texts = trafficKeys().map((key) => Buffer.from(key));
  const names = METERS.map((_, id) => Buffer.from(`${id === 0 ? ',"values":{' : ','}"${id}":`));
  const time = Buffer.from('","ts":');
  const end = Buffer.from('}}\n');
  const nothing = Buffer.alloc(0);
  const lines = new LineBytes();
  for (const { start, count, keys, readings } of generateTraffic(shape)) {
    for (let i = 0; i < count; i += 1) {
      lines.bytes(head);
      lines.bytes(texts[keys[i] ?? 0] ?? nothing);
      lines.bytes(time);
      lines.number(start);
      for (let meter = 0; meter < METERS.length; meter += 1) {
        lines.bytes(names[meter] ?? nothing);
        lines.number(readings[meter]?.[i] ?? 0);
      }
      lines.bytes(end);
    }
    if (lines.isBlock) yield lines.take();
  }
  yield lines.take();
}
