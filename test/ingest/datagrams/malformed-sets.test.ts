import { describe, expect, it } from 'vitest';
import { NO_SLOT, SLOT } from '../../../ingest/datagrams/netflow/elements.ts';
import { recordForm, VARIABLE_LENGTH } from '../../../ingest/datagrams/netflow/record-form.ts';
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
import {
  dataSet,
  ipfixDatagram,
  netflow9Datagram,
  recordOf,
  setOf,
  templateSet,
} from './write-templates.ts';

const PROTOCOLS: readonly TemplateProtocol[] = ['netflow9', 'ipfix'];

const TEMPLATE = templateOf(TRAFFIC);
const RECORD = recordOf(TEMPLATE, valuesOf(TRAFFIC));
const DATA = dataSet(TEMPLATE, [valuesOf(TRAFFIC)]);

/** Returns a set whose header says another length. */
function withLength(set: Buffer, length: number): Buffer {
  const changed = Buffer.from(set);
  changed.writeUInt16BE(length, 2);
  return changed;
}

const decode = (bytes: Buffer) =>
  createDatagramDecoder().decode({ bytes, address: '192.0.2.1', port: 1, receivedMs: NOW_MS });

describe.each(PROTOCOLS)('a set of %s', (protocol) => {
  const send = (sets: readonly Buffer[]) => {
    const { flows, refused, number } = sender()(protocol, [
      templateSet(protocol, [TEMPLATE]),
      ...sets,
    ]);
    return { flows: flows.length, refused: [...refused], units: number?.units };
  };
  const units = (count: number | null) => (protocol === 'ipfix' ? count : 1);

  it.each([
    ['longer than the datagram', withLength(DATA, DATA.length + 1), 'truncated'],
    ['much longer than the datagram', withLength(DATA, 65_535), 'truncated'],
    ['shorter than its header', withLength(DATA, 3), 'badLength'],
    ['of no length', withLength(DATA, 0), 'badLength'],
  ] as const)('refuses the datagram if it is %s', (_, set, reason) => {
    expect(send([DATA, set])).toEqual({ flows: 0, refused: [[reason, 1]], units: units(null) });
  });

  it.each([
    ['shorter than a record', setOf(256, RECORD.subarray(0, -1), 0)],
    ['of four bytes', setOf(256, Buffer.alloc(4))],
  ])('is refused alone if its data are %s', (_, set) => {
    expect(send([set, DATA])).toEqual({
      flows: 1,
      refused: [['badLength', 1]],
      units: units(null),
    });
  });

  it.each([0, 1, 2, 3, 4, 5, RECORD.length - 1])('may end with %i bytes of padding', (padding) => {
    expect(send([setOf(256, RECORD, padding)])).toEqual({
      flows: 1,
      refused: [],
      units: units(1),
    });
  });

  it('may end with padding that is not 0', () => {
    const set = setOf(256, Buffer.concat([RECORD, Buffer.from([1, 2, 3])]), 0);
    expect(send([set])).toMatchObject({ flows: 1, refused: [] });
  });

  it('may be empty', () => {
    expect(send([setOf(256, Buffer.alloc(0)), setOf(999, Buffer.alloc(0)), DATA])).toEqual({
      flows: 1,
      refused: [],
      units: units(1),
    });
  });

  it('with a reserved number is left out', () => {
    const reserved = [4, 17, 255].map((id) => setOf(id, RECORD));
    expect(send([...reserved, DATA])).toEqual({ flows: 1, refused: [], units: units(1) });
  });

  describe('of records whose length varies', () => {
    const record: WrittenRecord = [...TRAFFIC, [82, 65_535, Buffer.from('eth0')]];
    const template = templateOf(record, 400);
    const define = templateSet(protocol, [template]);
    const one = recordOf(template, valuesOf(record));
    const sendAll = (content: Buffer, padding?: number) =>
      send([define, setOf(400, content, padding), DATA]);

    it.each([0, 1, 3, RECORD.length])('may end with %i bytes of padding', (padding) => {
      expect(sendAll(Buffer.concat([one, one]), padding)).toEqual({
        flows: 3,
        refused: [],
        units: units(3),
      });
    });

    it.each([
      ['its value', one.subarray(0, -1)],
      ['its whole value', one.subarray(0, -4)],
      ['its long length', Buffer.concat([RECORD, Buffer.from([255, 0])])],
      ['its long value', Buffer.concat([RECORD, Buffer.from([255, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8])])],
    ])('is refused alone if its last record is cut within %s', (_, last) => {
      expect(sendAll(Buffer.concat([one, last]), 0)).toEqual({
        flows: 1,
        refused: [['badLength', 1]],
        units: units(null),
      });
    });
  });

  it.each([
    ['its first value', [3, 1, 2]],
    ['the length of its second value', [3, 1, 2, 3]],
    ['the long length of its second value', [3, 1, 2, 3, 255, 1]],
    ['its second value', [1, 1, 2, 1]],
  ])('is refused if its only record ends the datagram within %s', (_, content) => {
    const variable = {
      id: 500,
      fields: [
        { id: 82, length: 65_535 },
        { id: 83, length: 65_535 },
      ],
    };
    const sets = [templateSet(protocol, [variable]), setOf(500, Buffer.from(content), 0)];
    expect(send(sets)).toEqual({ flows: 0, refused: [['badLength', 1]], units: units(null) });
  });

  it('of a template for longer records than a datagram can have brings nothing', () => {
    const template = {
      id: 500,
      fields: [
        { id: 1, length: 65_534 },
        { id: 8, length: 65_534 },
      ],
    };
    expect(send([templateSet(protocol, [template]), setOf(500, Buffer.alloc(100))])).toEqual({
      flows: 0,
      refused: [['badLength', 1]],
      units: units(null),
    });
  });
});

describe('a datagram of NetFlow 9', () => {
  it('shorter than its header is refused', () => {
    const bytes = netflow9Datagram({}, []);
    for (let length = 2; length < bytes.length; length += 1) {
      expect(decode(bytes.subarray(0, length))).toMatchObject({
        number: null,
        refused: new Map([['truncated', 1]]),
      });
    }
    expect(decode(bytes)).toMatchObject({ flows: [], refused: new Map() });
  });

  it('that is cut off changes nothing', () => {
    const bytes = netflow9Datagram({ seconds: NOW_S, uptimeMs: UPTIME_MS }, [
      templateSet('netflow9', [TEMPLATE]),
      DATA,
      DATA,
    ]);
    const decoded = decode(bytes.subarray(0, -1));
    expect(decoded.flows).toHaveLength(0);
    expect(decoded.refused).toEqual(new Map([['truncated', 1]]));
  });
});

describe('a refused datagram of NetFlow 9', () => {
  it('is no restart of its exporter, whatever its header says', () => {
    const send = sender();
    const define = templateSet('netflow9', [TEMPLATE]);
    const beyond = withLength(DATA, 2_000);
    send('netflow9', [define]);
    send('netflow9', [beyond], { uptimeMs: 0, seconds: 0 });
    expect(send('netflow9', [DATA]).flows).toHaveLength(1);
  });
});

describe('a message of IPFIX', () => {
  const sets = [templateSet('ipfix', [TEMPLATE]), DATA, DATA];
  const whole = ipfixDatagram({ seconds: NOW_S }, sets);

  it('shorter than its header is refused', () => {
    for (let length = 2; length < 16; length += 1) {
      expect(decode(whole.subarray(0, length))).toMatchObject({
        number: null,
        refused: new Map([['truncated', 1]]),
      });
    }
  });

  it.each([0, 3, 15])('cannot have a length of %i', (length) => {
    const bytes = ipfixDatagram({ length }, sets);
    expect(decode(bytes)).toMatchObject({ number: null, refused: new Map([['badLength', 1]]) });
  });

  it('may have nothing but a header', () => {
    expect(decode(ipfixDatagram({}, []))).toMatchObject({
      number: { units: 0 },
      refused: new Map(),
    });
  });

  it.each([
    ['within a set', whole.length - 1],
    ['before a set', whole.length - DATA.length],
    ['within the header of a set', whole.length - DATA.length + 3],
    ['within its templates', 40],
    ['after its header', 16],
  ])('that is cut off changes nothing: %s', (_, length) => {
    const decoded = decode(whole.subarray(0, length));
    expect(decoded.flows).toEqual([]);
    expect(decoded.refused).toEqual(new Map([['truncated', 1]]));
    expect(decoded.number?.units).toBeNull();
  });

  it('with bytes after its end changes nothing', () => {
    for (const more of [1, 4, 100]) {
      const decoded = decode(Buffer.concat([whole, Buffer.alloc(more)]));
      expect(decoded.flows).toEqual([]);
      expect(decoded.refused).toEqual(new Map([['badLength', 1]]));
      expect(decoded.number?.units).toBeNull();
    }
  });

  it.each([1, 3])('cannot end with %i bytes that are no set', (more) => {
    const decoded = decode(ipfixDatagram({ seconds: NOW_S }, [...sets, Buffer.alloc(more)]));
    expect(decoded.flows).toEqual([]);
    expect(decoded.refused).toEqual(new Map([['badLength', 1]]));
  });

  it('cannot end within a set, though the datagram goes on', () => {
    const bytes = ipfixDatagram({ seconds: NOW_S, length: whole.length - 1 }, sets);
    const decoded = decode(bytes);
    expect(decoded.flows).toEqual([]);
    expect(decoded.refused).toEqual(new Map([['badLength', 1]]));
  });

  it('that is cut off defines no template', () => {
    const send = sender();
    const beyond = withLength(setOf(999, Buffer.alloc(4)), 12);
    expect(send('ipfix', [templateSet('ipfix', [TEMPLATE]), beyond]).refused.size).toBe(1);
    expect(send('ipfix', [DATA])).toMatchObject({ flows: [], refused: new Map() });
  });
});

describe('a record whose length varies', () => {
  it('takes no step for fields that are not there, and one for all that are left out', () => {
    const skipped = { slot: NO_SLOT, length: 4 };
    const empty = { slot: SLOT.octetDeltaCount, length: 0 };
    const variable = { slot: NO_SLOT, length: VARIABLE_LENGTH };
    const { steps, bytes } = recordForm([empty, skipped, empty, skipped, variable, empty, skipped]);
    expect([...(steps ?? [])]).toEqual([NO_SLOT, 8, NO_SLOT, VARIABLE_LENGTH, NO_SLOT, 4]);
    expect(bytes).toBe(13);
  });
});
