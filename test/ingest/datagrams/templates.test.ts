import { describe, expect, it } from 'vitest';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  NOW_MS,
  NOW_S,
  sender,
  type TemplateProtocol,
  TRAFFIC,
  templateOf,
  UPTIME_MS,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, setOf, templateSet } from './write-templates.ts';

const DAY_MS = 86_400_000;
const PROTOCOLS: readonly TemplateProtocol[] = ['netflow9', 'ipfix'];

const TEMPLATE = templateOf(TRAFFIC);
const DATA = dataSet(TEMPLATE, [valuesOf(TRAFFIC)]);
/** The same fields in the opposite order, of the same length. */
const TURNED: WrittenRecord = [...TRAFFIC].reverse();

const bytesOf = ({ flows }: { flows: readonly { originator: { bytes: unknown } }[] }) =>
  flows.map(({ originator }) => originator.bytes);

describe.each(PROTOCOLS)('a template of %s', (protocol) => {
  const defineAndSend = (options: object) => {
    const send = sender();
    send(protocol, [templateSet(protocol, [TEMPLATE])], { domain: 5 });
    return send(protocol, [DATA], { domain: 5, ...options }).flows.length;
  };

  it.each([
    ['its domain', {}, 1],
    ['no other domain', { domain: 6 }, 0],
    ['no other port', { port: 4322 }, 0],
    ['no other address', { address: '2001:db8::1' }, 0],
    ['its domain, at another time', { receivedMs: NOW_MS + 1000, seconds: NOW_S + 1 }, 1],
  ])('is that of %s', (_, options, flows) => {
    expect(defineAndSend(options)).toBe(flows);
  });

  it('is not that of the other protocol', () => {
    const send = sender();
    const other = protocol === 'ipfix' ? 'netflow9' : 'ipfix';
    send(other, [templateSet(other, [TEMPLATE])]);
    expect(send(protocol, [DATA]).flows).toEqual([]);
  });

  it('is replaced by a newer one, even in the same datagram', () => {
    const turned = templateOf(TURNED);
    const send = sender();
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    const decoded = send(protocol, [
      DATA,
      templateSet(protocol, [turned]),
      dataSet(turned, [valuesOf(TURNED).with(1, 7)]),
    ]);
    expect(bytesOf(decoded)).toEqual([1500, 7]);
    expect(bytesOf(send(protocol, [dataSet(turned, [valuesOf(TURNED)])]))).toEqual([1500]);
  });

  it('may become one of options, and back', () => {
    const scope = TEMPLATE.fields.slice(0, 1);
    const options = { id: TEMPLATE.id, scope, fields: TEMPLATE.fields.slice(1) };
    const send = sender();
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    send(protocol, [templateSet(protocol, [options])]);
    expect(send(protocol, [DATA])).toMatchObject({ flows: [], refused: new Map() });
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    expect(bytesOf(send(protocol, [DATA]))).toEqual([1500]);
  });

  it('is used for a day after it was sent last', () => {
    const decoder = createDatagramDecoder();
    const send = sender(decoder);
    const at = (ms: number) => ({
      receivedMs: NOW_MS + ms,
      seconds: NOW_S + ms / 1000,
      uptimeMs: UPTIME_MS + ms,
    });
    send(protocol, [templateSet(protocol, [TEMPLATE])], at(0));
    expect(send(protocol, [DATA], at(DAY_MS - 1000)).flows).toHaveLength(1);
    send(protocol, [templateSet(protocol, [TEMPLATE])], at(DAY_MS - 1000));
    expect(send(protocol, [DATA], at(2 * DAY_MS - 2000)).flows).toHaveLength(1);
    decoder.expire(NOW_MS + 2 * DAY_MS - 1001);
    expect(send(protocol, [DATA], at(2 * DAY_MS - 2000)).flows).toHaveLength(1);
    expect(send(protocol, [DATA], at(2 * DAY_MS - 1000)).flows).toHaveLength(0);
  });

  it('is forgotten when it is out of date', () => {
    const decoder = createDatagramDecoder();
    const send = sender(decoder);
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    decoder.expire(NOW_MS + DAY_MS);
    expect(send(protocol, [DATA]).flows).toHaveLength(0);
  });

  it('may be one of several in a set', () => {
    const records: readonly WrittenRecord[] = [TRAFFIC, TURNED, [...TRAFFIC, [5, 1, 0]]];
    const templates = records.map((record, i) => templateOf(record, 256 + i));
    const data = templates.map((each, i) => dataSet(each, [valuesOf(records[i] ?? [])]));
    const decoded = sender()(protocol, [templateSet(protocol, templates), ...data]);
    expect(bytesOf(decoded)).toEqual([1500, 1500, 1500]);
  });

  it.each([
    ['a number below 256', { id: 255, fields: TEMPLATE.fields }],
    [
      'fields without a length',
      {
        id: 256,
        fields: [
          { id: 1, length: 0 },
          { id: 2, length: 0 },
        ],
      },
    ],
    ['more fields than are read', { id: 256, fields: Array(1001).fill({ id: 5, length: 1 }) }],
  ])('cannot have %s', (_, template) => {
    const send = sender();
    const { refused } = send(protocol, [templateSet(protocol, [template])]);
    expect(refused).toEqual(new Map([['badTemplate', 1]]));
    expect(send(protocol, [setOf(256, Buffer.alloc(100))]).flows).toEqual([]);
  });

  it('may have as many fields as are read, and fields without a length', () => {
    const fields = [...TEMPLATE.fields, ...Array(993).fill({ id: 5, length: 0 })];
    const template = { id: 256, fields };
    const decoded = sender()(protocol, [templateSet(protocol, [template]), DATA]);
    expect(bytesOf(decoded)).toEqual([1500]);
  });

  it('that cannot be is no longer the earlier one with its number', () => {
    const send = sender();
    const tooLong = { id: 256, fields: Array(1001).fill({ id: 5, length: 1 }) };
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    send(protocol, [templateSet(protocol, [tooLong])]);
    expect(send(protocol, [DATA]).flows).toEqual([]);
  });

  it('that is cut off leaves those before it, and the earlier one with its number', () => {
    const other = templateOf(TURNED, 257);
    const whole = templateSet(protocol, [other, { ...TEMPLATE, fields: TEMPLATE.fields.slice(1) }]);
    const cut = Buffer.from(whole.subarray(0, -4));
    cut.writeUInt16BE(cut.length, 2);
    const send = sender();
    send(protocol, [templateSet(protocol, [TEMPLATE])]);
    const decoded = send(protocol, [cut, DATA, dataSet(other, [valuesOf(TURNED)])]);
    expect(decoded.refused).toEqual(new Map([['badTemplate', 1]]));
    expect(bytesOf(decoded)).toEqual([1500, 1500]);
  });

  it('of options that is cut off is refused', () => {
    const set = Buffer.from(
      templateSet(protocol, [{ ...TEMPLATE, scope: [{ id: 1, length: 4 }] }]),
    );
    for (let length = 8; length < set.length - 3; length += 1) {
      const cut = Buffer.from(set.subarray(0, length));
      cut.writeUInt16BE(length, 2);
      expect(sender()(protocol, [cut]).refused).toEqual(new Map([['badTemplate', 1]]));
    }
  });

  it('may be followed by more padding than it should', () => {
    const set = templateSet(protocol, [TEMPLATE]);
    for (const padding of [1, 3, 4, 8, 21]) {
      const padded = Buffer.concat([set, Buffer.alloc(padding)]);
      padded.writeUInt16BE(padded.length, 2);
      const decoded = sender()(protocol, [padded, DATA]);
      expect([bytesOf(decoded), decoded.refused.size]).toEqual([[1500], 0]);
    }
  });
});

describe('a template of IPFIX', () => {
  it.each([
    ['it is withdrawn', setOf(2, Buffer.from([1, 0, 0, 0]))],
    ['all are withdrawn', setOf(2, Buffer.from([0, 2, 0, 0]))],
    ['all of options are withdrawn', setOf(3, Buffer.from([0, 3, 0, 0]))],
  ])('stays if %s, which is ignored over UDP', (_, withdrawal) => {
    const send = sender();
    send('ipfix', [templateSet('ipfix', [TEMPLATE])]);
    const decoded = send('ipfix', [withdrawal, DATA]);
    expect([bytesOf(decoded), decoded.refused.size]).toEqual([[1500], 0]);
  });

  it('may follow a withdrawal in its set', () => {
    const set = templateSet('ipfix', [TEMPLATE]);
    const content = Buffer.concat([Buffer.from([1, 0, 0, 0]), set.subarray(4)]);
    expect(bytesOf(sender()('ipfix', [setOf(2, content), DATA]))).toEqual([1500]);
  });

  it('of options cannot have a scope of more fields than it has', () => {
    const set = Buffer.from(
      templateSet('ipfix', [{ ...TEMPLATE, scope: [{ id: 144, length: 4 }] }]),
    );
    set.writeUInt16BE(TEMPLATE.fields.length + 2, 8);
    expect(sender()('ipfix', [set]).refused).toEqual(new Map([['badTemplate', 1]]));
  });

  it('stays when the exporter restarts, of which its header does not tell', () => {
    const send = sender();
    send('ipfix', [templateSet('ipfix', [TEMPLATE])], { sequence: 1000 });
    expect(bytesOf(send('ipfix', [DATA], { sequence: 0, seconds: NOW_S + 60 }))).toEqual([1500]);
  });
});

describe('a template of NetFlow 9', () => {
  it('cannot be without fields', () => {
    const set = setOf(0, Buffer.from([1, 0, 0, 0]));
    expect(sender()('netflow9', [set]).refused).toEqual(new Map([['badTemplate', 1]]));
  });

  it.each([
    [2, 2],
    [4, 3],
  ])('of options cannot have fields of %i and %i bytes', (scopeBytes, optionBytes) => {
    const set = setOf(1, Buffer.from([1, 0, 0, scopeBytes, 0, optionBytes, 0, 1, 0, 4, 0, 34]));
    expect(sender()('netflow9', [set]).refused).toEqual(new Map([['badTemplate', 1]]));
  });

  it('has scopes with numbers of their own', () => {
    // As a scope, 4 is a cache; a sampling interval (34) is no scope.
    const scope = [
      { id: 4, length: 4 },
      { id: 34, length: 4 },
    ];
    const options = templateOf([[36, 2, 60]], 300, scope);
    const send = sender();
    send('netflow9', [
      templateSet('netflow9', [options]),
      dataSet(options, [[6, 100, 60]]),
      templateSet('netflow9', [TEMPLATE]),
    ]);
    expect(send('netflow9', [DATA]).samplingRates).toEqual([100]);
  });

  it.each([
    ['the exporter restarted', UPTIME_MS + 60_000, 60, 5000, 120, 0],
    ['it restarted a moment ago', 10_000, 0, 1, 20, 0],
    ['its uptime goes on', UPTIME_MS, 0, UPTIME_MS + 60_000, 60, 1],
    ['its uptime wrapped', 2 ** 32 - 1000, 0, 59_000, 60, 1],
    ['datagrams changed places', UPTIME_MS, 0, UPTIME_MS - 900, 0, 1],
    ['datagrams changed places beside a second', UPTIME_MS, 0, UPTIME_MS - 900, -1, 1],
    ['its clock was set back', UPTIME_MS, 0, UPTIME_MS + 1000, -7200, 1],
    ['its clock was set ahead', UPTIME_MS, 0, UPTIME_MS + 1000, 7200, 1],
    ['its clock was set ahead by seconds', UPTIME_MS, 0, UPTIME_MS - 1, 4, 1],
  ])('stays unless the exporter restarts: %s', (_, firstMs, firstS, nextMs, nextS, flows) => {
    const send = sender();
    const set = templateSet('netflow9', [TEMPLATE]);
    send('netflow9', [set], { uptimeMs: firstMs, seconds: NOW_S + firstS });
    const decoded = send('netflow9', [DATA], { uptimeMs: nextMs, seconds: NOW_S + nextS });
    expect(decoded.flows.length).toBe(flows);
  });

  it('of after a restart stays, whatever comes late from before it', () => {
    const send = sender();
    const set = templateSet('netflow9', [TEMPLATE]);
    send('netflow9', [], { uptimeMs: UPTIME_MS, seconds: NOW_S });
    send('netflow9', [set], { uptimeMs: 1000, seconds: NOW_S + 60 });
    send('netflow9', [], { uptimeMs: UPTIME_MS + 10, seconds: NOW_S });
    expect(send('netflow9', [DATA], { uptimeMs: 2000, seconds: NOW_S + 61 }).flows).toHaveLength(1);
  });

  it('goes with a restart that follows another', () => {
    const send = sender();
    const set = templateSet('netflow9', [TEMPLATE]);
    send('netflow9', [], { uptimeMs: UPTIME_MS, seconds: NOW_S });
    send('netflow9', [set], { uptimeMs: 30_000, seconds: NOW_S + 60 });
    expect(send('netflow9', [DATA], { uptimeMs: 9, seconds: NOW_S + 120 }).flows).toHaveLength(0);
  });
});
