import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyLines } from './copy-lines.ts';
import { LineBytes } from './line-bytes.ts';
import { generateTraffic, METERS, type TrafficShape, trafficKeys } from './traffic.ts';

export type SampleFile = {
  readonly group: string;
  /** How many probes the samples come from in turn. 0: from none. */
  readonly probes: number;
};

/** Writes the samples in the `samples` import format (NDJSON, one sample per line). */
export const writeSampleFile = (
  file: string,
  shape: TrafficShape,
  options: SampleFile,
): Promise<void> => pipeline(Readable.from(sampleLines(shape, options)), createWriteStream(file));

/** Writes the rows for COPY, with ids for keys. */
export const writeRowFile = (file: string, shape: TrafficShape): Promise<void> =>
  pipeline(Readable.from(copyLines(shape)), createWriteStream(file));

function* sampleLines(shape: TrafficShape, options: SampleFile): Generator<Buffer> {
  const heads = lineHeads(options);
  let sample = 0;
  const texts = trafficKeys().map((key) => Buffer.from(key));
  const names = METERS.map((_, id) => Buffer.from(`${id === 0 ? ',"values":{' : ','}"${id}":`));
  const time = Buffer.from('","ts":');
  const end = Buffer.from('}}\n');
  const nothing = Buffer.alloc(0);
  const lines = new LineBytes();
  for (const { start, count, keys, readings } of generateTraffic(shape)) {
    for (let i = 0; i < count; i += 1) {
      lines.bytes(heads[sample % heads.length] ?? nothing);
      sample += 1;
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

/** The starts of lines, one for each probe, used in turn. */
const lineHeads = ({ group, probes }: SampleFile): Buffer[] =>
  probes === 0
    ? [Buffer.from(`{"group":"${group}","key":"`)]
    : Array.from({ length: probes }, (_, probe) =>
        Buffer.from(`{"group":"${group}","probe":"p${probe}","key":"`),
      );
