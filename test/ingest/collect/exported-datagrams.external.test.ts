import { beforeAll, describe, expect, it } from 'vitest';
import { DatagramSequence } from '../../../ingest/collect/datagram-sequence.ts';
import type { Datagram, DecodedDatagram } from '../../../ingest/datagrams/datagram.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { addWhole, type Whole } from '../../../ingest/whole.ts';
import { TRAFFIC, TRAFFIC_SUMS } from './exporter-traffic.ts';
import { decodedLines, nfdumpLines } from './flow-lines.ts';
import { type Exporter, exportedDatagrams, pmacctd, softflowd } from './run-exporters.ts';

type Version = keyof typeof TRAFFIC_SUMS;

const nfprobe = (version: Version, ...settings: readonly string[]): Exporter =>
  pmacctd(
    'nfprobe',
    `nfprobe_version: ${version}`,
    'aggregate: src_host, dst_host, src_port, dst_port, proto',
    ...settings,
  );

const sfprobe = (...settings: readonly string[]): Exporter =>
  pmacctd('sfprobe', 'sfprobe_agentip: 192.0.2.1', ...settings);

/** Exporters of all packets, and of some of them. */
const WHOLE: readonly (readonly [name: string, version: Version, exporter: Exporter])[] = [
  ['softflowd, NetFlow 5', 5, softflowd('-v', '5')],
  ['pmacct, NetFlow 5', 5, nfprobe(5)],
];

const SAMPLED: readonly (readonly [name: string, exporter: Exporter])[] = [
  ['softflowd, NetFlow 5', softflowd('-v', '5', '-s', '7')],
];

const SFLOW: readonly (readonly [name: string, exporter: Exporter])[] = [
  ['all packets', sfprobe()],
  ['a third of the packets', sfprobe('sampling_rate: 3', 'sfprobe_agentsubid: 7')],
];

const decodeAll = (datagrams: readonly Datagram[]): DecodedDatagram[] => {
  const { decode } = createDatagramDecoder();
  return datagrams.map(decode);
};

const contentsOf = (datagrams: readonly Datagram[]): Buffer[] =>
  datagrams.map(({ bytes }) => bytes);

const flowsOf = (decoded: readonly DecodedDatagram[]) => decoded.flatMap(({ flows }) => flows);

const sum = (amounts: readonly Whole[]): Whole => amounts.reduce(addWhole, 0);

/** What is lost of a sequence, in the unit of its protocol. */
function lostOf(decoded: readonly DecodedDatagram[]): number {
  const numbers = decoded.flatMap(({ number }) => (number === null ? [] : [number]));
  const sequence = new DatagramSequence(numbers[0]?.protocol ?? 'netflow5');
  const receivedMs = Date.now();
  for (const number of numbers) sequence.take(number, { receivedMs, nowMs: 0 });
  sequence.end();
  return sequence.lost;
}

/** Expects that a datagram in the middle which does not arrive is all that is lost. */
function expectToldLoss(datagrams: readonly Datagram[]): void {
  const all = decodeAll(datagrams);
  expect(lostOf(all)).toBe(0);
  const middle = Math.floor(datagrams.length / 2);
  const arrived = decodeAll(datagrams.filter((_, i) => i !== middle));
  expect(lostOf(arrived)).toBe(all[middle]?.number?.units);
}

describe.each(WHOLE)('the datagrams of %s', (_, version, exporter) => {
  let datagrams: readonly Datagram[];
  let decoded: readonly DecodedDatagram[];

  beforeAll(async () => {
    datagrams = await exportedDatagrams(exporter, TRAFFIC);
    decoded = decodeAll(datagrams);
  });

  it('bring the flows that nfcapd stores, to the byte and the millisecond', async () => {
    expect(decodedLines(flowsOf(decoded), 'with times')).toEqual(
      await nfdumpLines('nfcapd', contentsOf(datagrams), 'with times'),
    );
  });

  it('bring all packets of the capture, and nothing that cannot be read', () => {
    const sides = flowsOf(decoded).flatMap(({ originator, responder }) => [originator, responder]);
    expect({
      bytes: sum(sides.map(({ bytes }) => bytes)),
      packets: sum(sides.map(({ packets }) => packets)),
    }).toEqual(TRAFFIC_SUMS[version]);
    expect(decoded.flatMap(({ refused }) => [...refused])).toEqual([]);
    expect(new Set(decoded.flatMap(({ samplingRates }) => samplingRates))).toEqual(new Set([1]));
  });

  it('are numbered, so that what is lost is known', () => {
    expectToldLoss(datagrams);
  });
});

describe.each(SAMPLED)('the datagrams of %s of some packets', (_, exporter) => {
  it('bring the flows that nfcapd stores, multiplied by the sampling rate', async () => {
    const datagrams = await exportedDatagrams(exporter, TRAFFIC);
    const decoded = decodeAll(datagrams);
    expect(decodedLines(flowsOf(decoded), 'with times')).toEqual(
      await nfdumpLines('nfcapd', contentsOf(datagrams), 'with times'),
    );
    expect(flowsOf(decoded).length).toBeGreaterThan(10);
    expect(new Set(decoded.flatMap(({ samplingRates }) => samplingRates)).has(1)).toBe(false);
    expect(decoded.flatMap(({ refused }) => [...refused])).toEqual([]);
  });
});

describe.each(SFLOW)('the datagrams of pmacct, sFlow of %s', (_, exporter) => {
  it('bring the flows that sfcapd stores, and numbers that tell losses', async () => {
    const datagrams = await exportedDatagrams(exporter, TRAFFIC);
    const decoded = decodeAll(datagrams);
    expect(decodedLines(flowsOf(decoded), 'without times')).toEqual(
      await nfdumpLines('sfcapd', contentsOf(datagrams), 'without times'),
    );
    expect(flowsOf(decoded).length).toBeGreaterThan(50);
    expect(decoded.flatMap(({ refused }) => [...refused])).toEqual([]);
    expectToldLoss(datagrams);
  });
});
