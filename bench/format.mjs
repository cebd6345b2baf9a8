// Measures the segment format without a database, stage by stage: CPU time and bytes per reading.
// The data are 1.43 million samples of three meters over a day, with addresses by Zipf's law.
import { SegmentCheck } from '../dist/segments/check/check-segment.js';
import { ReadingGatherer } from '../dist/segments/gather/reading-gatherer.js';
import { keyCodecOf } from '../dist/segments/keys/key-codec.js';
import { uniteKeys } from '../dist/segments/keys/unite-keys.js';
import { mergeRanges } from '../dist/segments/merge/merge-ranges.js';
import { readDirectory } from '../dist/segments/pages/directory.js';
import { readRange } from '../dist/segments/pages/read-range.js';
import { createSections } from '../dist/segments/pages/sections.js';
import { SegmentWriter } from '../dist/segments/pages/segment-writer.js';

const SAMPLES = 1_430_000;
const KEYS = 200_000;
const BUCKET = 300;
const DAY_START = 1_752_537_600;
const PARTS = 8;

const shape = {
  keyKind: 'ipv4',
  partKinds: null,
  bucketSeconds: BUCKET,
  topperBucketSeconds: BUCKET,
  folds: ['sum', 'sum', 'sum'],
};
const codec = keyCodecOf(shape);

let state = 12_345;
/** Returns a pseudo-random number from 0 to 1. The sequence is the same in every run. */
function random() {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return state / 0x7fff_ffff;
}

const samples = makeSamples();
measure('gather', () => gather(0, SAMPLES));
const gathered = gather(0, SAMPLES);
const ranges = measure('sort and cut into ranges', () => [...gathered.ranges()]);
const whole = measure('write a segment', () => write(ranges, 0, SAMPLES));
report('one segment', [whole]);
reportParts(whole);
const opened = open(whole);
measure('read all of it', () => opened.ranges());
measure('check', () => {
  const faults = [...checkAll(opened)];
  if (faults.length > 0) throw new Error(faults[0]);
});
const parts = Array.from({ length: PARTS }, (_, part) => {
  const from = Math.floor((SAMPLES * part) / PARTS);
  const to = Math.floor((SAMPLES * (part + 1)) / PARTS);
  return write(gather(from, to).ranges(), from, to);
});
report(`${PARTS} segments`, parts);
const lists = parts.flatMap((part) => {
  const [first] = open(part).ranges();
  return first ? [first.keys] : [];
});
measure(`unite the first ranges of ${PARTS} segments`, () => uniteKeys(lists));
const streams = parts.map((part) => open(part).ranges());
const before = process.cpuUsage();
let merged = 0;
for await (const { keys } of mergeRanges(streams, shape)) merged += keys.count;
print(`merge ${PARTS} segments`, before);
if (merged !== whole.keyCount) throw new Error(`${merged} keys, not ${whole.keyCount}`);

function makeSamples() {
  const sums = new Float64Array(KEYS);
  let sum = 0;
  for (let key = 0; key < KEYS; key += 1) {
    sum += 1 / (key + 1);
    sums[key] = sum;
  }
  const addresses = Uint8Array.from({ length: 4 * KEYS }, () => random() * 256);
  const keys = Uint32Array.from({ length: SAMPLES }, () => firstAbove(sums, random() * sum));
  const values = Float64Array.from({ length: SAMPLES }, () => Math.floor(Math.exp(random() * 9)));
  return { addresses, keys, values };
}

function firstAbove(sums, value) {
  let from = 0;
  let to = sums.length - 1;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sums[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

function bucketOf(sample) {
  return DAY_START + BUCKET * Math.floor((sample / SAMPLES) * (86_400 / BUCKET));
}

function gather(from, to) {
  const gatherer = new ReadingGatherer(shape);
  for (let i = from; i < to; i += 1) {
    const at = 4 * samples.keys[i];
    const key = gatherer.keys.indexOf(samples.addresses, at, at + 4);
    const row = gatherer.addRow(bucketOf(i), key);
    gatherer.putValue(0, row, samples.values[i]);
    gatherer.putValue(1, row, 1 + (samples.values[i] >> 4));
    gatherer.putValue(2, row, 1);
  }
  return gatherer;
}

function write(someRanges, from, to) {
  const span = { first: bucketOf(from), last: bucketOf(to - 1) };
  const writer = new SegmentWriter({ shape, codec, span, nonce: 1 });
  const pages = [];
  for (const range of someRanges) pages.push(...writer.addRange(range));
  const finished = writer.finish();
  pages.push(...finished.pages);
  return { ...finished, pages };
}

function open({ directory: bytes, pages }) {
  const directory = readDirectory(bytes);
  const sections = createSections(directory, (number) => pages[number].bytes);
  const read = (range) => readRange({ directory, range, sections }, codec, shape);
  return { directory, sections, ranges: () => directory.ranges.map(read) };
}

function* checkAll({ directory, sections }) {
  const check = new SegmentCheck({ shape, codec, directory });
  for (const range of directory.ranges) yield* check.range(range, sections);
  yield* check.heads(sections);
  yield* check.end();
}

function report(name, segments) {
  const sum = (of) => segments.reduce((total, segment) => total + of(segment), 0);
  const bytes = sum(({ directory, pages }) =>
    pages.reduce((total, page) => total + page.bytes.length, directory.length),
  );
  const rows = sum(({ rowCount }) => rowCount);
  const perReading = (bytes / rows / shape.folds.length).toFixed(2);
  console.log(`${name}: ${rows} rows, ${bytes} bytes, ${perReading} bytes a reading`);
}

/** Prints how many bytes each part of a segment takes. */
function reportParts({ directory: bytes, rowCount }) {
  const parts = new Map([['directory', bytes.length]]);
  const add = (name, sections) => {
    const length = sections.reduce(
      (sum, section) => sum + (section ? section.to - section.from : 0),
      0,
    );
    parts.set(name, (parts.get(name) ?? 0) + length);
  };
  const { ranges, heads, headSeries } = readDirectory(bytes);
  for (const { keys, span, tiles } of ranges) {
    add('keys', keys);
    add('span', span ?? []);
    for (const tile of tiles) {
      add('keys of tiles', [tile.keys]);
      add('times', [tile.times]);
      add('totals of tiles', tile.totals);
      add('values', tile.values);
    }
  }
  if (heads) add('heads', [...heads.span, ...heads.tiles.flatMap((tile) => tile.heads)]);
  if (headSeries) add('head series', [headSeries.keys, headSeries.entries, ...headSeries.columns]);
  for (const [name, length] of parts) {
    console.log(
      `  ${name}: ${(length / rowCount / shape.folds.length).toFixed(2)} bytes a reading`,
    );
  }
}

function measure(name, work) {
  const start = process.cpuUsage();
  const result = work();
  print(name, start);
  return result;
}

function print(name, start) {
  const { user, system } = process.cpuUsage(start);
  console.log(`${name}: ${Math.round((user + system) / 1000)} ms of CPU time`);
}
