import { describe, expect, it } from 'vitest';
import {
  DESTINATION_KEY,
  decodeRecord,
  ENDS,
  flowOf,
  NOW_MS,
  NOW_S,
  NOW_US,
  SOURCE_KEY,
  sender,
  templateOf,
  UPTIME_MS,
  valuesOf,
  type WrittenRecord,
} from './sent-sets.ts';
import { dataSet, templateSet } from './write-templates.ts';

describe('an event', () => {
  const AT: WrittenRecord = [
    [152, 8, NOW_MS - 3_600_000],
    [323, 8, NOW_MS - 1000],
  ];
  const amounts = (there: number, back: number): WrittenRecord => [
    [231, 4, there],
    [232, 4, back],
  ];

  it.each([
    [
      'that an address is translated',
      [
        [230, 1, 4],
        [225, 4, 1],
        [323, 8, NOW_MS],
      ],
    ],
    ['that a connection begins', [[233, 1, 1], ...AT]],
    ['that a connection begins, with amounts of 0', [[233, 1, 1], ...AT, ...amounts(0, 0)]],
    ['that a connection is denied', [[233, 1, 3], [33_002, 2, 1001], ...AT, ...amounts(0, 0)]],
    ['of an old firewall', [[40_005, 1, 1], ...AT]],
    ['without a time and traffic', []],
    [
      'without a time, and with amounts of 0',
      [
        [1, 4, 0],
        [2, 4, 0],
      ],
    ],
    ['with its own time only', [[323, 8, NOW_MS]]],
    [
      'without any amounts, of a NAT gateway',
      [
        [152, 8, NOW_MS],
        [153, 8, NOW_MS],
        [227, 2, 1],
      ],
    ],
  ] as const)('is skipped: %s', (_, fields) => {
    const { flows, skipped, refused } = decodeRecord('netflow9', [
      ...ENDS,
      ...(fields as WrittenRecord),
    ]);
    expect({ flows, skipped, refused: refused.size }).toEqual({
      flows: [],
      skipped: { events: 1, notIp: 0 },
      refused: 0,
    });
  });

  it('is skipped as one even without addresses', () => {
    const { skipped } = decodeRecord('ipfix', [
      [230, 1, 3],
      [283, 4, 1],
      [323, 8, NOW_MS],
    ]);
    expect(skipped).toEqual({ events: 1, notIp: 0 });
  });

  it('at the end of a connection is a flow of both ways', () => {
    const flow = flowOf('netflow9', [...ENDS, [233, 1, 2], ...AT, ...amounts(1500, 70_000)]);
    expect(flow).toMatchObject({
      startUs: NOW_US - 3600e6,
      durationUs: 3599e6,
      portRule: 'destination',
      originator: { address: SOURCE_KEY, bytes: 1500 },
      responder: { address: DESTINATION_KEY, bytes: 70_000 },
    });
  });

  it('with traffic of one way is a flow', () => {
    const flow = flowOf('netflow9', [...ENDS, [233, 1, 2], [85, 4, 1500], [323, 8, NOW_MS]]);
    expect(flow).toMatchObject({ portRule: 'registered', originator: { bytes: 1500 } });
  });

  it('is not a flow without traffic that has a time', () => {
    const flow = flowOf('netflow9', [...ENDS, [1, 4, 0], [152, 8, NOW_MS], [153, 8, NOW_MS]]);
    expect(flow.originator).toMatchObject({ bytes: 0, packets: 0 });
  });
});

describe('a connection through a firewall', () => {
  type Report = {
    readonly event: number;
    readonly id?: number;
    readonly fromS: number;
    readonly toS: number;
    readonly amounts: readonly [bytes: number, packets: number, back: number, packetsBack: number];
  };

  const recordOf = ({ event, id = 7, fromS, toS, amounts }: Report): WrittenRecord => [
    [148, 4, id],
    ...ENDS,
    [233, 1, event],
    [152, 8, NOW_MS + fromS * 1000],
    [323, 8, NOW_MS + toS * 1000],
    [231, 4, amounts[0]],
    [298, 4, amounts[1]],
    [232, 4, amounts[2]],
    [299, 4, amounts[3]],
  ];

  /** Sends reports one after the other, and returns what each brings. */
  function reported(reports: readonly Report[], send = sender()) {
    return reports.map((report) => {
      const record = recordOf(report);
      const template = templateOf(record);
      const sets = [templateSet('netflow9', [template]), dataSet(template, [valuesOf(record)])];
      const { flows, skipped } = send('netflow9', sets);
      const [flow] = flows;
      if (flow === undefined) return skipped.events === 1 ? 'skipped' : 'nothing';
      const { originator, responder, startUs, durationUs } = flow;
      return {
        from: (startUs - NOW_US) / 1e6,
        seconds: durationUs / 1e6,
        amounts: [originator.bytes, originator.packets, responder.bytes, responder.packets],
      };
    });
  }

  const UPDATES: readonly Report[] = [
    { event: 5, fromS: -300, toS: -240, amounts: [1000, 10, 5000, 20] },
    { event: 5, fromS: -240, toS: -180, amounts: [31, 1, 0, 0] },
  ];
  const END: Report = { event: 2, fromS: -300, toS: -100, amounts: [1100, 12, 5100, 21] };

  it('has what its updates say, and at its end what is left', () => {
    expect(reported([...UPDATES, END])).toEqual([
      { from: -300, seconds: 60, amounts: [1000, 10, 5000, 20] },
      { from: -240, seconds: 60, amounts: [31, 1, 0, 0] },
      { from: -180, seconds: 80, amounts: [69, 1, 100, 1] },
    ]);
  });

  it('has all at its end without updates', () => {
    expect(reported([END])).toEqual([{ from: -300, seconds: 200, amounts: END.amounts }]);
  });

  it('is skipped at its end if updates said all', () => {
    const last: Report = { event: 5, fromS: -180, toS: -100, amounts: [69, 1, 100, 1] };
    expect(reported([...UPDATES, last, END]).at(-1)).toBe('skipped');
  });

  it('has its lost updates at the end', () => {
    expect(reported([...UPDATES.slice(1), END]).at(-1)).toEqual({
      from: -180,
      seconds: 80,
      amounts: [1069, 11, 5100, 21],
    });
  });

  it('has nothing left of a counter that wrapped', () => {
    const wrapped: Report = { ...END, amounts: [5, 12, 5100, 21] };
    expect(reported([...UPDATES, wrapped]).at(-1)).toMatchObject({ amounts: [0, 1, 100, 1] });
  });

  it('is another one than those with other numbers, in other domains, or at another time', () => {
    const whole = { amounts: END.amounts };
    expect(reported([...UPDATES, { ...END, id: 8 }]).at(-1)).toMatchObject(whole);
    const later: Report = { ...END, fromS: -170 };
    expect(reported([...UPDATES, later]).at(-1)).toMatchObject(whole);
    expect(reported([...UPDATES, END, END]).at(-1)).toMatchObject(whole);
  });

  it('is another one after a restart of the firewall', () => {
    const send = sender();
    reported(UPDATES, send);
    send('netflow9', [], { uptimeMs: 60_000, seconds: NOW_S + 3600 });
    expect(
      reported([END], (protocol, sets) =>
        send(protocol, sets, {
          uptimeMs: 61_000,
          seconds: NOW_S + 3601,
        }),
      ),
    ).toEqual([{ from: -300, seconds: 200, amounts: END.amounts }]);
    expect(UPTIME_MS).toBeGreaterThan(61_000);
  });

  it('is forgotten if there are 65,536 others of which more was heard since', () => {
    const template = templateOf(recordOf(END));
    const send = sender();
    const update = (ids: readonly number[]) =>
      send('netflow9', [
        templateSet('netflow9', [template]),
        dataSet(
          template,
          ids.map((id) => valuesOf(recordOf({ ...END, event: 5, id }))),
        ),
      ]);
    update([1, 2]);
    for (let id = 100; id < 100 + 65_534; id += 1000) {
      const count = Math.min(1000, 100 + 65_534 - id);
      update(Array.from({ length: count }, (_, i) => id + i));
    }
    update([1]);
    update([99]);
    const [known, forgotten] = reported(
      [
        { ...END, id: 1 },
        { ...END, id: 2 },
      ],
      send,
    );
    expect(known).toBe('skipped');
    expect(forgotten).toMatchObject({ amounts: END.amounts });
  });
});
