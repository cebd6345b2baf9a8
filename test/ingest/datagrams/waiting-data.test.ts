import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  NOW_MS,
  NOW_S,
  NOW_US,
  sender,
  type TemplateProtocol,
  TRAFFIC,
  templateOf,
  UPTIME_MS,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, templateSet } from './write-templates.ts';

const ADDRESS = '192.0.2.1';
const PROTOCOLS: readonly TemplateProtocol[] = ['netflow9', 'ipfix'];

const TEMPLATE = templateOf(TRAFFIC);
const DATA = dataSet(TEMPLATE, [valuesOf(TRAFFIC)]);

describe.each(PROTOCOLS)('data of %s before their template', (protocol) => {
  const start = () => {
    const decoder = createDatagramDecoder();
    return { decoder, send: sender(decoder) };
  };
  const define = templateSet(protocol, [TEMPLATE]);

  it('come with the template', () => {
    const { decoder, send } = start();
    const first = send(protocol, [DATA, DATA]);
    expect(first).toMatchObject({ flows: [], refused: new Map() });
    expect(first.number?.units).toBe(protocol === 'ipfix' ? null : 1);
    send(protocol, [DATA]);
    expect(decoder.waitingOf(ADDRESS)).toBe(2);
    const decoded = send(protocol, [define, DATA]);
    expect(decoded.flows).toHaveLength(4);
    expect(decoded.number?.units).toBe(1);
    expect(decoder.waitingOf(ADDRESS)).toBe(0);
    expect(send(protocol, [define]).flows).toEqual([]);
  });

  it('have the time of their own header', () => {
    const { send } = start();
    const record: WrittenRecord = [...TRAFFIC, [22, 4, UPTIME_MS], [21, 4, UPTIME_MS + 500]];
    const template = templateOf(record);
    const ago = { seconds: NOW_S - 30, uptimeMs: UPTIME_MS + 2000 };
    send(protocol, [dataSet(template, [valuesOf(record)])], ago);
    const [flow] = send(protocol, [templateSet(protocol, [template])]).flows;
    const startUs = protocol === 'ipfix' ? NOW_US - 30.5e6 : NOW_US - 32e6;
    expect(flow).toMatchObject({ startUs, durationUs: 500_000 });
  });

  it('are read if the template is in the same datagram', () => {
    const { decoder, send } = start();
    const { flows } = send(protocol, [DATA, define]);
    expect([flows.length, decoder.waitingOf(ADDRESS)]).toEqual([1, 0]);
  });

  it('wait for each of their templates', () => {
    const { decoder, send } = start();
    const other = templateOf(TRAFFIC, 257);
    send(protocol, [DATA, dataSet(other, [valuesOf(TRAFFIC)])]);
    expect(send(protocol, [define]).flows).toHaveLength(1);
    expect(decoder.waitingOf(ADDRESS)).toBe(1);
    expect(send(protocol, [templateSet(protocol, [other])]).flows).toHaveLength(1);
    expect(decoder.waitingOf(ADDRESS)).toBe(0);
  });

  it('wait for a template of their own domain', () => {
    const { decoder, send } = start();
    send(protocol, [DATA], { domain: 1 });
    expect(send(protocol, [define], { domain: 2 }).flows).toEqual([]);
    expect(decoder.waitingOf(ADDRESS)).toBe(1);
    expect(send(protocol, [define], { domain: 1 }).flows).toHaveLength(1);
  });

  it('have the sampling rate that options say, which waited as well', () => {
    const { send } = start();
    const options = templateOf([[34, 4, 100]], 300, [{ id: 2, length: 4 }]);
    send(protocol, [dataSet(options, [[1, 100]]), DATA]);
    const defined = send(protocol, [define, templateSet(protocol, [options])]);
    expect(defined.samplingRates).toEqual([100]);
  });

  it('wait for a minute, then are told', () => {
    const { decoder, send } = start();
    send(protocol, [DATA]);
    send(protocol, [DATA], { receivedMs: NOW_MS + 1000 });
    send(protocol, [DATA], { address: '192.0.2.2', receivedMs: NOW_MS + 1000 });
    expect(decoder.expire(NOW_MS + 59_999)).toEqual([]);
    expect(decoder.expire(NOW_MS + 60_000)).toEqual([{ address: ADDRESS, datagrams: 1 }]);
    expect(decoder.waitingOf(ADDRESS)).toBe(1);
    expect(decoder.expire(NOW_MS + 61_000)).toEqual([
      { address: ADDRESS, datagrams: 1 },
      { address: '192.0.2.2', datagrams: 1 },
    ]);
    expect(decoder.waitingOf(ADDRESS)).toBe(0);
    expect(decoder.expire(NOW_MS + 200_000)).toEqual([]);
    expect(send(protocol, [define]).flows).toEqual([]);
  });

  it('are 64 datagrams of an exporter at most, in all of its domains', () => {
    const { decoder, send } = start();
    for (let i = 0; i < 64; i += 1) {
      expect(send(protocol, [DATA], { domain: i % 5 }).refused.size).toBe(0);
    }
    expect(decoder.waitingOf(ADDRESS)).toBe(64);
    const { refused, flows } = send(protocol, [DATA, DATA], { domain: 1 });
    expect([[...refused], flows.length]).toEqual([[['noTemplate', 1]], 0]);
    expect(send(protocol, [DATA], { address: '192.0.2.2' }).refused.size).toBe(0);
    expect(send(protocol, [define], { domain: 1 }).flows).toHaveLength(13);
    expect(send(protocol, [DATA], { domain: 2 }).refused.size).toBe(0);
  });

  it('are 1 MiB of an exporter at most', () => {
    const { decoder, send } = start();
    const large = dataSet(TEMPLATE, Array(2500).fill(valuesOf(TRAFFIC)));
    let count = 0;
    while (send(protocol, [large]).refused.size === 0) count += 1;
    expect(count).toBe(Math.floor(2 ** 20 / (large.length + 16)));
    expect(decoder.waitingOf(ADDRESS)).toBe(count);
    expect(decoder.expire(NOW_MS + 60_000)).toEqual([{ address: ADDRESS, datagrams: count }]);
    expect(send(protocol, [large]).refused.size).toBe(0);
  });

  it('leave room for others when they are read', () => {
    const { send } = start();
    const large = dataSet(TEMPLATE, Array(2500).fill(valuesOf(TRAFFIC)));
    for (let i = 0; i < 20; i += 1) send(protocol, [large], { domain: i });
    expect(send(protocol, [large]).refused.size).toBe(1);
    for (let i = 0; i < 10; i += 1) send(protocol, [define], { domain: i });
    for (let i = 0; i < 10; i += 1) {
      expect(send(protocol, [large], { domain: 100 + i }).refused.size).toBe(0);
    }
  });

  it('are 16 MiB of all exporters at most', () => {
    const { decoder, send } = start();
    const large = dataSet(TEMPLATE, Array(2500).fill(valuesOf(TRAFFIC)));
    const isTaken = (i: number): boolean =>
      send(protocol, [large], { address: `10.0.${i >> 8}.${i & 255}` }).refused.size === 0;
    let count = 0;
    while (isTaken(count)) count += 1;
    expect(count).toBeGreaterThan(Math.floor(2 ** 24 / (large.length + 1000)));
    expect(count).toBeLessThanOrEqual(Math.floor(2 ** 24 / large.length));
    expect(decoder.expire(NOW_MS + 60_000)).toHaveLength(count);
    expect(isTaken(count)).toBe(true);
  });

  it('without records do not wait', () => {
    const { decoder, send } = start();
    send(protocol, [dataSet(TEMPLATE, [])]);
    expect(decoder.waitingOf(ADDRESS)).toBe(0);
  });

  it('may be sent in any memory, which is used again', () => {
    const decoder = createDatagramDecoder();
    const send = sender({
      ...decoder,
      decode(datagram) {
        const decoded = decoder.decode(datagram);
        datagram.bytes.fill(0xff);
        return decoded;
      },
    });
    send(protocol, [DATA]);
    expect(send(protocol, [define]).flows).toHaveLength(1);
    expect(send(protocol, [DATA]).flows).toHaveLength(1);
    expect(send(protocol, [define, DATA]).flows).toHaveLength(1);
  });
});
