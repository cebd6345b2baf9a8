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

describe('a rate meter', () => {
  it('has an average over the window in a series, and a metric that says what it is', async () => {
    const given = Object.assign({ key: 'a', step: 600 }, asked);
    const { structured, text } = await ada.call('key_series', given);
    expect(structured).toMatchObject({ metric: 4000, peak: 3000, averageRate: 2000, total: 6000 });
    expect(text.split('\n').at(-1)).toBe(
      'on average 2,000 Bps; largest topper bucket 3,000 Bps (3 kB/s); the metric is the sum of ' +
        'the averages of the topper buckets (volume ÷ topper bucket size): 4,000 Bps (4 kB/s), ' +
        '66.7 % of the group; the whole group: 6,000 Bps (6 kB/s)',
    );
  });

  it('has an average in a topper, which says what the metrics are', async () => {
    const { text } = await ada.call('topper', Object.assign({ maxItems: 1 }, asked));
    expect(text.split('\n').slice(2)).toEqual([
      '1. a: 4,000 Bps (4 kB/s), 66.7 %, on average 2,000 Bps',
      '1 of 2 keys; the listed and the others (2,000 Bps (2 kB/s)) add up to the total: ' +
        '6,000 Bps (6 kB/s)',
      'each metric is a sum of the averages of the topper buckets (volume ÷ topper bucket size)',
    ]);
  });

  it('other meters say what they are, too', async () => {
    const given = Object.assign({ key: 'd', meter: 'Heat' }, asked);
    const { structured, text } = await ada.call('key_series', given);
    expect(structured).not.toHaveProperty('averageRate');
    expect(text.split('\n').at(-1)).toMatch(/^over the whole window 3 degrees; largest topper/);
  });
});
