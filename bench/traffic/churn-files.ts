import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ChurnSample, type ChurnShape, generateChurn } from './churn-traffic.ts';
import { LineBytes } from './line-bytes.ts';

/** Totals of the day, with which answers are checked. */
export type ChurnTotals = { bytes: number };

/** Writes the day in the `samples` import format. */
export async function writeChurnSamples(
  file: string,
  shape: ChurnShape,
  group: string,
): Promise<ChurnTotals> {
  const totals: ChurnTotals = { bytes: 0 };
  const head = Buffer.from(`{"group":"${group}","key":"`);
  const time = Buffer.from('","ts":');
  const names = [',"values":{"0":', ',"1":', ',"2":'].map((text) => Buffer.from(text));
  const end = Buffer.from('}}\n');
  await writeLines(file, shape, (lines, start, sample) => {
    totals.bytes += sample.bytes;
    lines.bytes(head);
    addAddress(lines, sample.address);
    lines.bytes(time);
    lines.number(start);
    const { bytes, packets, connections } = sample;
    addReadings(lines, names, [bytes, packets, connections]);
    lines.bytes(end);
  });
  return totals;
}

/** Writes the same rows for COPY, with key ids instead of addresses. */
export async function writeChurnRows(file: string, shape: ChurnShape): Promise<void> {
  const tab = Buffer.from('\t');
  const end = Buffer.from('\n');
  await writeLines(file, shape, (lines, start, sample) => {
    lines.number(sample.keyId);
    lines.bytes(tab);
    lines.number(start);
    addReadings(lines, [tab, tab, tab], [sample.bytes, sample.packets, sample.connections]);
    lines.bytes(end);
  });
}

type AddLine = (lines: LineBytes, start: number, sample: ChurnSample) => void;

const writeLines = (file: string, shape: ChurnShape, add: AddLine): Promise<void> =>
  pipeline(Readable.from(blocksOf(shape, add)), createWriteStream(file));

function* blocksOf(shape: ChurnShape, add: AddLine): Generator<Buffer> {
  const lines = new LineBytes();
  for (const _ of generateChurn(shape, (start, sample) => add(lines, start, sample))) {
    if (lines.isBlock) yield lines.take();
  }
  yield lines.take();
}

function addReadings(
  lines: LineBytes,
  names: readonly Uint8Array[],
  readings: readonly number[],
): void {
  for (const [meter, name] of names.entries()) {
    lines.bytes(name);
    lines.number(readings[meter] ?? 0);
  }
}

const DOT = Buffer.from('.');
const HEX_BYTES = Array.from({ length: 256 }, (_, value) =>
  Buffer.from(value.toString(16).toUpperCase().padStart(2, '0')),
);

/** Adds the raw key of an address (decisions, section 7). */
function addAddress(lines: LineBytes, address: number): void {
  for (let shift = 24; shift >= 0; shift -= 8) {
    if (shift < 24) lines.bytes(DOT);
    lines.bytes(HEX_BYTES[(address >>> shift) & 0xff] ?? DOT);
  }
}
