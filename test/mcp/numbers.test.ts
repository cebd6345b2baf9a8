import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rateText } from '../../mcp/text/amount.ts';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { group, meter, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../support/lab/service.ts';

const RATE = 4;
const GAUGE = 5;

const line = (key: string, at: number, bytes: number, degrees: number) => ({
  group: group(1).guid,
  key,
  ts: T0 + at,
  values: { 0: bytes, 1: degrees },
});

/** Ten minutes of two keys, and the ten minutes before. */
const LINES = [
  line('a', -600, 300_000, -3),
  line('b', -600, 1000, -4),
  line('c', -600, 1000, -4),
  line('d', -600, 1000, 4),
  line('e', -600, 1000, -4),
  line('a', 0, 900_000, -6),
  line('a', 300, 300_000, -6),
  line('b', 540, 600_000, -2),
  line('c', 540, 0, 0),
  line('d', 540, 0, 3),
  line('e', 540, 0, -4),
];

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  const meters = [
    Object.assign(meter(0, RATE, 'Total'), { units: 'Bps' }),
    Object.assign(meter(1, GAUGE, 'Heat'), { units: 'degrees' }),
  ];
  lab = await startLab({ groups: [group(1, { meters })], lines: LINES });
  ada = await connectMcp(lab.url, bearerOf(ADA));
  // The client checks answers against the schemas only for tools that it has listed.
  await ada.client.listTools();
});

afterAll(() => lab.close());

const asked = {
  context: CONTEXT,
  counterGroup: 'Group 1',
  window: { interval: { from: T0, to: T0 + 600 } },
};

describe('an average rate in a text', () => {
  const counter = { index: 0, name: 'Total', description: '', units: 'bytes', type: 'VT_COUNTER' };

  it.each([
    [0, '0 bytes/s'],
    [0.000_012_344, '0.00001234 bytes/s'],
    [0.806_451_6, '0.8065 bytes/s'],
    [999.94, '999.9 bytes/s'],
    [999.96, '1,000 bytes/s'],
    [40_440.673, '40,441 bytes/s'],
    [7_686_143_364_045_651, '7,686,143,364,045,651 bytes/s'],
    [153_722_867_280_912_930, 'about 153,700,000,000,000,000 bytes/s'],
  ])('%d is %s: whole numbers have all digits', (rate, expected) => {
    expect(rateText(rate, counter)).toBe(expected);
  });
});

describe('the change of a negative value', () => {
  it('has a ratio with its own sign', async () => {
    const given = Object.assign({ meter: 'Heat', compare: true }, asked);
    const { text } = await ada.call('topper', given);
    const changes = text.split('\n').flatMap((each) => /before .*$/.exec(each)?.[0] ?? []);
    expect(changes).toEqual([
      'before 4 degrees (-1 degrees, -25.0 %)',
      'before -4 degrees (+4 degrees, -100.0 %)',
      'before -4 degrees (+2 degrees, -50.0 %)',
      'before -4 degrees (+0 degrees, +0.0 %)',
      'before -3 degrees (-3 degrees, +100.0 %)',
    ]);
  });
});
