import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { NOW_MS, sender, TRAFFIC, templateOf, valuesOf } from './sent-sets.ts';
import { dataSet, templateSet } from './write-templates.ts';

const TEMPLATE = templateOf(TRAFFIC);
const DEFINE = templateSet('ipfix', [TEMPLATE]);
const DATA = dataSet(TEMPLATE, [valuesOf(TRAFFIC)]);

/** A template with one more number, and so many fields more than those of the traffic. */
const longTemplate = (id: number, more: number) => ({
  id,
  fields: [...TEMPLATE.fields, ...Array(more).fill({ id: 5, length: 1 })],
});

const dataOf = (id: number, more: number) =>
  dataSet(longTemplate(id, more), [[...valuesOf(TRAFFIC), ...Array(more).fill(0)]], 0);

describe('what is remembered of exporters', () => {
  it('is that of the 4,096 addresses that were heard last', () => {
    const send = sender();
    const at = (i: number) => ({ address: `10.0.${i >> 8}.${i & 255}` });
    for (let i = 0; i < 4_096; i += 1) send('ipfix', [DEFINE], at(i));
    expect(send('ipfix', [DATA], at(0)).flows).toHaveLength(1);
    send('ipfix', [DEFINE], at(4_096));
    expect(send('ipfix', [DATA], at(0)).flows).toHaveLength(1);
    expect(send('ipfix', [DATA], at(1)).flows).toHaveLength(0);
    expect(send('ipfix', [DATA], at(4_096)).flows).toHaveLength(1);
  });

  it('is not displaced by many addresses that were heard once, if more datagrams came', () => {
    const send = sender();
    const router = { address: '192.0.2.1' };
    for (const set of [DEFINE, DATA, DATA, DATA]) send('ipfix', [set], router);
    for (let i = 0; i < 10_000; i += 1) {
      send('ipfix', [DEFINE], { address: `10.1.${i >> 8}.${i & 255}` });
    }
    expect(send('ipfix', [DATA], router).flows).toHaveLength(1);
  });

  it('is displaced if as many others go on sending', () => {
    const send = sender();
    const router = { address: '192.0.2.1' };
    for (const set of [DEFINE, DATA, DATA, DATA]) send('ipfix', [set], router);
    for (let i = 0; i < 4_096; i += 1) {
      const other = { address: `10.1.${i >> 8}.${i & 255}` };
      for (let sent = 0; sent < 4; sent += 1) send('ipfix', [DEFINE], other);
    }
    expect(send('ipfix', [DATA], router).flows).toHaveLength(0);
  });

  it('is that of the 256 domains and ports of an address that were heard last', () => {
    const send = sender();
    for (let i = 0; i < 256; i += 1) {
      send('ipfix', [DEFINE], i % 2 === 0 ? { domain: i } : { port: i });
    }
    expect(send('ipfix', [DATA], { domain: 0 }).flows).toHaveLength(1);
    send('ipfix', [DEFINE], { domain: 1000 });
    expect(send('ipfix', [DATA], { domain: 0 }).flows).toHaveLength(1);
    expect(send('ipfix', [DATA], { domain: 1000 }).flows).toHaveLength(1);
    expect(send('ipfix', [DATA], { port: 1 }).flows).toHaveLength(0);
  });

  it('is the 1,024 templates of a domain that were sent last', () => {
    const send = sender();
    const define = (id: number) =>
      send('ipfix', [templateSet('ipfix', [{ ...TEMPLATE, id: 256 + id }])]);
    const flowsOf = (id: number) =>
      send('ipfix', [dataSet({ ...TEMPLATE, id: 256 + id }, [valuesOf(TRAFFIC)])]).flows.length;
    for (let id = 0; id < 1_024; id += 1) define(id);
    define(0);
    expect([flowsOf(0), flowsOf(1), flowsOf(1_023)]).toEqual([1, 1, 1]);
    define(1_024);
    expect([flowsOf(0), flowsOf(1), flowsOf(1_024)]).toEqual([1, 0, 1]);
  });

  it('is at most 300,000 fields of an address, of which the oldest are forgotten', () => {
    const send = sender();
    const define = (domain: number, id: number) =>
      send('ipfix', [templateSet('ipfix', [longTemplate(id, 961)])], { domain });
    const flowsOf = (domain: number, id: number) =>
      send('ipfix', [dataOf(id, 961)], { domain }).flows.length;
    // A template counts as 1,000 fields with its objects, and the domains as 32.
    for (let id = 300; id < 350; id += 1) define(1, id);
    for (let id = 300; id < 549; id += 1) define(2, id);
    expect([flowsOf(1, 300), flowsOf(2, 548)]).toEqual([1, 1]);
    define(2, 549);
    expect([flowsOf(1, 300), flowsOf(2, 300), flowsOf(2, 549)]).toEqual([0, 1, 1]);
    for (let id = 550; id < 600; id += 1) define(2, id);
    expect([flowsOf(2, 300), flowsOf(2, 301), flowsOf(2, 599)]).toEqual([0, 1, 1]);
  });

  it('is at most a million fields of all, of which those of the oldest address are forgotten', () => {
    const send = sender();
    const at = (i: number) => ({ address: `10.0.0.${i}` });
    for (let i = 0; i < 20; i += 1) {
      for (let id = 300; id < 350; id += 1) {
        send('ipfix', [templateSet('ipfix', [longTemplate(id, 961)])], at(i));
      }
    }
    const flowsOf = (i: number, id: number) => send('ipfix', [dataOf(id, 961)], at(i)).flows.length;
    expect([flowsOf(1, 300), flowsOf(19, 349), flowsOf(0, 300)]).toEqual([1, 1, 0]);
  });

  it('is not that of who is silent for a day', () => {
    const decoder = createDatagramDecoder();
    const send = sender(decoder);
    const options = templateOf([[34, 4, 100]], 300, [{ id: 144, length: 4 }]);
    const setUp = [templateSet('ipfix', [options]), dataSet(options, [[1, 100]])];
    const rates = (domain: number) =>
      send('ipfix', [DEFINE, DATA], { domain, receivedMs: NOW_MS + 86_400_000 }).samplingRates;
    send('ipfix', setUp, { domain: 1 });
    send('ipfix', setUp, { domain: 2, receivedMs: NOW_MS + 1 });
    decoder.expire(NOW_MS + 86_400_000);
    expect([rates(1), rates(2)]).toEqual([[1], [100]]);
  });

  it('takes along data that wait, which is told', () => {
    const decoder = createDatagramDecoder();
    const send = sender(decoder);
    send('ipfix', [DATA], { domain: 7 });
    for (let domain = 100; domain < 356; domain += 1) send('ipfix', [DEFINE], { domain });
    expect(decoder.waitingOf('192.0.2.1')).toBe(0);
    expect(decoder.expire(NOW_MS)).toEqual([{ address: '192.0.2.1', datagrams: 1 }]);
    expect(send('ipfix', [DEFINE], { domain: 7 }).flows).toEqual([]);
  });
});
