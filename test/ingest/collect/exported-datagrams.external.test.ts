import { beforeAll, describe, expect, it } from 'vitest';
import { DatagramSequence } from '../../../ingest/collect/datagram-sequence.ts';
import type { Datagram, DecodedDatagram } from '../../../ingest/datagrams/datagram.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { appPort, type Flow } from '../../../ingest/flows/flow.ts';
import { addWhole, type Whole } from '../../../ingest/whole.ts';
import { TRAFFIC, TRAFFIC_SPAN, TRAFFIC_SUMS } from './exporter-traffic.ts';
import { decodedLines, nfdumpLines, type Times } from './flow-lines.ts';
import { type Exporter, exportedDatagrams, pmacctd, softflowd } from './run-exporters.ts';

type Version = keyof typeof TRAFFIC_SUMS;

const ENDS = 'src_host, dst_host, src_port, dst_port, proto';

/** The setting that is given last counts. */
const nfprobe = (version: Version, ...settings: readonly string[]): Exporter =>
  pmacctd('nfprobe', `nfprobe_version: ${version}`, `aggregate: ${ENDS}`, ...settings);

const sfprobe = (...settings: readonly string[]): Exporter =>
  pmacctd('sfprobe', 'sfprobe_agentip: 192.0.2.1', ...settings);

type WholeExport = readonly [name: string, version: Version, exporter: Exporter];

/** Exporters of all packets whose times nfcapd 1.7.1 reads. */
const TIMED: readonly WholeExport[] = [
  ['softflowd, NetFlow 5', 5, softflowd('-v', '5')],
  ['pmacct, NetFlow 5', 5, nfprobe(5)],
  ['softflowd, NetFlow 9', 9, softflowd('-v', '9')],
  ['softflowd, NetFlow 9 with times of the day', 9, softflowd('-v', '9', '-A', 'milli')],
  ['softflowd, NetFlow 9 with VLANs', 9, softflowd('-v', '9', '-T', 'vlan')],
  ['softflowd, NetFlow 9 with MAC addresses', 9, softflowd('-v', '9', '-T', 'ether')],
  ['softflowd, NetFlow 9 with MPLS labels', 9, softflowd('-v', '9', '-x', '3')],
  ['softflowd, NetFlow 9 without ports', 9, softflowd('-v', '9', '-T', 'proto')],
  ['softflowd, NetFlow 9 without ports and protocols', 9, softflowd('-v', '9', '-T', 'ip')],
  ['pmacct, NetFlow 9', 9, nfprobe(9)],
  ['pmacct, NetFlow 9 of each packet', 9, nfprobe(9, 'nfprobe_dont_cache: true')],
  ['softflowd, IPFIX', 10, softflowd('-v', '10')],
  ['softflowd, IPFIX in milliseconds', 10, softflowd('-v', '10', '-A', 'milli')],
  ['softflowd, IPFIX of both ways', 10, softflowd('-v', '10', '-A', 'milli', '-b')],
  [
    'softflowd, IPFIX of both ways with options in between',
    10,
    softflowd('-v', '10', '-b', '-T', 'ether', '-x', '3'),
  ],
  ['softflowd, IPFIX with MAC addresses', 10, softflowd('-v', '10', '-A', 'milli', '-T', 'ether')],
  ['pmacct, IPFIX', 10, nfprobe(10)],
  ['pmacct, IPFIX of each packet', 10, nfprobe(10, 'nfprobe_dont_cache: true')],
  [
    'pmacct, IPFIX with fields of an enterprise and of variable length',
    10,
    nfprobe(
      10,
      'aggregate: src_mac, dst_mac, vlan, src_host, dst_host, src_port, dst_port, proto, tag, label',
    ),
  ],
];

/** Those whose times it does not read. */
const UNTIMED: readonly WholeExport[] = [
  ['softflowd, IPFIX in seconds', 10, softflowd('-v', '10', '-A', 'sec')],
  ['softflowd, IPFIX in microseconds', 10, softflowd('-v', '10', '-A', 'micro')],
  ['softflowd, IPFIX in nanoseconds', 10, softflowd('-v', '10', '-A', 'nano')],
  ['pmacct, NetFlow 9 in microseconds', 9, nfprobe(9, 'nfprobe_tstamp_usec: true')],
  ['pmacct, IPFIX in microseconds', 10, nfprobe(10, 'nfprobe_tstamp_usec: true')],
];

const WHOLE = [
  ...TIMED.map((each) => [...each, 'with times'] as const),
  ...UNTIMED.map((each) => [...each, 'without times'] as const),
];

const RATE = 7;
const SAMPLE = ['-s', String(RATE)];
const SAMPLING = `sampling_rate: ${RATE}`;

/**
 * Exporters of some packets, and what nfcapd leaves to be multiplied: it does not read the options
 * in which these exporters say their rates.
 */
const SAMPLED: readonly (readonly [name: string, factor: number, exporter: Exporter])[] = [
  ['softflowd, NetFlow 5', 1, softflowd('-v', '5', ...SAMPLE)],
  ['softflowd, NetFlow 9', RATE, softflowd('-v', '9', ...SAMPLE)],
  ['pmacct, NetFlow 9', RATE, nfprobe(9, SAMPLING)],
  ['softflowd, IPFIX', RATE, softflowd('-v', '10', '-A', 'milli', ...SAMPLE)],
  ['softflowd, IPFIX of both ways', RATE, softflowd('-v', '10', '-A', 'milli', '-b', ...SAMPLE)],
  ['pmacct, IPFIX', RATE, nfprobe(10, SAMPLING)],
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

const flowsOf = (decoded: readonly DecodedDatagram[]): Flow[] =>
  decoded.flatMap(({ flows }) => flows);

const ratesOf = (decoded: readonly DecodedDatagram[]): Set<number> =>
  new Set(decoded.flatMap(({ samplingRates }) => samplingRates));

const refusalsOf = (decoded: readonly DecodedDatagram[]) =>
  decoded.flatMap(({ refused }) => [...refused]);

const sum = (amounts: readonly Whole[]): Whole => amounts.reduce(addWhole, 0);

/** Headers of NetFlow 9 have whole seconds, and so have some times of IPFIX. */
const SECOND_MS = 1_000;

/** Expects that flows begin with the capture and end with it, in seconds. */
function expectTimesOf(flows: readonly Flow[]): void {
  const first = Math.min(...flows.map(({ startUs }) => startUs)) / 1000;
  const last = Math.max(...flows.map(({ startUs, durationUs }) => startUs + durationUs)) / 1000;
  expect(Math.abs(first - TRAFFIC_SPAN.firstMs)).toBeLessThanOrEqual(SECOND_MS);
  expect(Math.abs(last - TRAFFIC_SPAN.lastMs)).toBeLessThanOrEqual(SECOND_MS);
}

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

describe.each(WHOLE)('the datagrams of %s', (...[, version, exporter, times]) => {
  let datagrams: readonly Datagram[];
  let decoded: readonly DecodedDatagram[];

  beforeAll(async () => {
    datagrams = await exportedDatagrams(exporter, TRAFFIC);
    decoded = decodeAll(datagrams);
  });

  it(`bring the flows that nfcapd stores, to the byte, ${times}`, async () => {
    expect(decodedLines(flowsOf(decoded), times)).toEqual(
      await nfdumpLines('nfcapd', contentsOf(datagrams), { times }),
    );
  });

  it('bring all packets of the capture, and nothing that cannot be read', () => {
    const flows = flowsOf(decoded);
    const sides = flows.flatMap(({ originator, responder }) => [originator, responder]);
    expect({
      bytes: sum(sides.map(({ bytes }) => bytes)),
      packets: sum(sides.map(({ packets }) => packets)),
    }).toEqual(TRAFFIC_SUMS[version]);
    expectTimesOf(flows);
    expect(refusalsOf(decoded)).toEqual([]);
    expect(ratesOf(decoded)).toEqual(new Set([1]));
  });

  it('are numbered, so that what is lost is known', () => {
    expectToldLoss(datagrams);
  });
});

describe('softflowd, whose flows of both ways have the lower address as their source', () => {
  it.each([
    ['one way', ['-v', '10']],
    ['both ways', ['-v', '10', '-b']],
  ])('has each flow of %s at the port of its service', async (_, options) => {
    const decoded = decodeAll(await exportedDatagrams(softflowd(...options), TRAFFIC));
    // ICMP has no ports.
    expect(new Set(flowsOf(decoded).map(appPort))).toEqual(new Set([53, 443, null]));
  });
});

describe.each(SAMPLED)('the datagrams of %s of some packets', (_, factor, exporter) => {
  it('bring the flows that nfcapd stores, multiplied by the sampling rate', async () => {
    const datagrams = await exportedDatagrams(exporter, TRAFFIC);
    const decoded = decodeAll(datagrams);
    expect(decodedLines(flowsOf(decoded), 'with times')).toEqual(
      await nfdumpLines('nfcapd', contentsOf(datagrams), { times: 'with times', factor }),
    );
    expect(flowsOf(decoded).length).toBeGreaterThan(10);
    expect(ratesOf(decoded)).toEqual(new Set([RATE]));
    expect(refusalsOf(decoded)).toEqual([]);
  });
});

describe.each(SFLOW)('the datagrams of pmacct, sFlow of %s', (_, exporter) => {
  it('bring the flows that sfcapd stores, and numbers that tell losses', async () => {
    const datagrams = await exportedDatagrams(exporter, TRAFFIC);
    const decoded = decodeAll(datagrams);
    const times: Times = 'without times';
    expect(decodedLines(flowsOf(decoded), times)).toEqual(
      await nfdumpLines('sfcapd', contentsOf(datagrams), { times }),
    );
    expect(flowsOf(decoded).length).toBeGreaterThan(50);
    expect(refusalsOf(decoded)).toEqual([]);
    expectToldLoss(datagrams);
  });
});
