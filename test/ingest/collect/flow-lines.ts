import { formatReadable } from '../../../domain/keys/key-text.ts';
import { type Flow, hasPorts } from '../../../ingest/flows/flow.ts';
import { startCollector } from '../../support/programs/collector.ts';
import { ethernet, ipv4, segment } from '../datagrams/sflow/build-frames.ts';
import { flowSample, rawHeader, sflowDatagram } from '../datagrams/sflow/encode-sflow.ts';
import { netflow5Datagram } from '../datagrams/write-netflow-5.ts';
import { sendDatagrams } from './receive-datagrams.ts';

/** Flows as lines, of which two programs must print the same. */

type End = { readonly address: string; readonly port: number };
type Amounts = { readonly bytes: bigint | number; readonly packets: bigint | number };

type FlowFacts = {
  readonly protocol: number;
  readonly source: End;
  readonly destination: End;
  readonly sent: Amounts;
  readonly answered: Amounts;
  /** In milliseconds since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
};

/** Whether lines say when flows began and ended, which not all programs know. */
export type Times = 'with times' | 'without times';

function lineOf(facts: FlowFacts, times: Times): string {
  const { protocol, source, destination, sent, answered } = facts;
  const text = ({ address, port }: End): string =>
    hasPorts(protocol) ? `${address} port ${port}` : address;
  const amounts = ({ bytes, packets }: Amounts): string => `${bytes} bytes in ${packets}`;
  const time = (ms: number): string => new Date(ms).toISOString();
  return [
    `${protocol} ${text(source)} > ${text(destination)}`,
    amounts(sent),
    `back ${amounts(answered)}`,
    ...(times === 'with times' ? [`${time(facts.firstMs)} to ${time(facts.lastMs)}`] : []),
  ].join(', ');
}

/** The lines of flows that were decoded, sorted. */
export const decodedLines = (flows: readonly Flow[], times: Times): string[] =>
  flows
    .map(({ startUs, durationUs, protocol, ports, originator, responder }) =>
      lineOf(
        {
          protocol: protocol ?? Number.NaN,
          source: {
            address: formatReadable('ip', originator.address ?? ''),
            port: ports?.source ?? Number.NaN,
          },
          destination: {
            address: formatReadable('ip', responder.address ?? ''),
            port: ports?.destination ?? Number.NaN,
          },
          sent: originator,
          answered: responder,
          // nfdump cuts off microseconds.
          firstMs: Math.floor(startUs / 1000),
          lastMs: Math.floor((startUs + durationUs) / 1000),
        },
        times,
      ),
    )
    .sort();

/** What `nfdump -o json` prints of a flow, in the time zone UTC. */
type NfdumpRecord = {
  readonly proto: number;
  readonly src4_addr?: string;
  readonly dst4_addr?: string;
  readonly src6_addr?: string;
  readonly dst6_addr?: string;
  readonly src_port?: number;
  readonly dst_port?: number;
  readonly in_bytes: number;
  readonly in_packets: number;
  readonly out_bytes?: number;
  readonly out_packets?: number;
  readonly first: string;
  readonly last: string;
};

const nfdumpLine = (record: NfdumpRecord, { times, factor = 1 }: NfdumpReading): string =>
  lineOf(
    {
      protocol: record.proto,
      source: {
        address: record.src4_addr ?? record.src6_addr ?? '',
        port: record.src_port ?? Number.NaN,
      },
      destination: {
        address: record.dst4_addr ?? record.dst6_addr ?? '',
        port: record.dst_port ?? Number.NaN,
      },
      sent: { bytes: factor * record.in_bytes, packets: factor * record.in_packets },
      answered: {
        bytes: factor * (record.out_bytes ?? 0),
        packets: factor * (record.out_packets ?? 0),
      },
      // nfcapd 1.7.1 mixes up the two fields of IPFIX that are reckoned by uptime.
      firstMs: Math.min(momentOf(record.first), momentOf(record.last)),
      lastMs: Math.max(momentOf(record.first), momentOf(record.last)),
    },
    times,
  );

const DAY_MS = 86_400_000;

/**
 * Reads a time of nfdump. nfcapd takes a moment before the exporter's start for one after 2^32
 * milliseconds of uptime. softflowd reports such moments if it reads a capture.
 */
function momentOf(text: string): number {
  const ms = Date.parse(`${text}Z`);
  return ms > Date.now() + DAY_MS ? ms - 2 ** 32 : ms;
}

/** An address of the last datagram, of a flow that no exporter reports. */
const MARK = '203.0.113.255';

/** Tells that nfcapd or sfcapd has read everything before it. */
const markOf = {
  nfcapd: () =>
    netflow5Datagram({ seconds: Math.floor(Date.now() / 1000), uptimeMs: 60_000 }, [
      { source: [203, 0, 113, 255], bytes: 1, packets: 1, firstMs: 1_000, lastMs: 2_000 },
    ]),
  sfcapd: () =>
    sflowDatagram([
      flowSample([rawHeader(ethernet(0x0800, ipv4(segment(1, 2), { protocol: 6, from: MARK })))]),
    ]),
};

type NfdumpReading = {
  readonly times: Times;
  /** What to multiply amounts with, if the program did not. */
  readonly factor?: number;
};

/** The lines of what nfdump's collectors make of datagrams, sorted. */
export async function nfdumpLines(
  program: keyof typeof markOf,
  contents: readonly Buffer[],
  reading: NfdumpReading,
): Promise<string[]> {
  const collector = await startCollector({ program, parameters: ['-t', '2'] });
  try {
    await sendDatagrams(collector.port, [...contents, markOf[program]()]);
    await collector.untilStored(1, `host ${MARK}`);
    const records = JSON.parse(await collector.printed('json')) as NfdumpRecord[];
    return records
      .filter(({ src4_addr }) => src4_addr !== MARK)
      .map((record) => nfdumpLine(record, reading))
      .sort();
  } finally {
    await collector.remove();
  }
}
