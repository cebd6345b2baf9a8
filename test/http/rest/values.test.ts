import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { EndpointName, TestService } from '../../support/lab/service.ts';
import { startTestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  const lines = Array.from({ length: 120 }, (_, i) => ({
    group: GROUP,
    key: `k${i}`,
    ts: T0,
    values: { 0: 1000 - i },
  }));
  lab = await startLab({ groups: [group(1)], lines });
});

afterAll(() => lab.close());

/** The parameters that each endpoint needs besides the tested one. */
const NEEDED = {
  slices: {},
  groups: {},
  topper: { counter_group: GROUP, window_fromts: T0, window_seconds: DAY },
};

const BOOLEANS = [
  ['slices', 'get_disk_usage'],
  ['slices', 'get_all_engines'],
  ['slices', 'get_total_window'],
  ['slices', 'get_from_dr'],
  ['groups', 'get_meter_info'],
  ['topper', 'resolve_keys'],
  ['topper', 'get_key_attributes'],
] as const satisfies readonly (readonly [EndpointName, string])[];

describe('a boolean (decision 2)', () => {
  const TRUE = ['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'oN'];
  const FALSE = ['false', '0', 'no', 'off', 'FALSE', 'No', 'oFF'];

  it('has four words for true and four for false, in any case', async () => {
    for (const word of [...TRUE, ...FALSE]) {
      const answer = await lab.ok<{ total_window: unknown }>('slices', { get_total_window: word });
      expect([word, answer.total_window !== null]).toEqual([word, TRUE.includes(word)]);
    }
  });

  it('may be a boolean, 0 or 1 in JSON', async () => {
    for (const value of [true, false, 1, 0]) {
      const parameters = { get_total_window: value };
      const answer = await lab.ok<{ total_window: unknown }>('slices', parameters, {
        encoding: 'json',
      });
      expect(answer.total_window !== null).toBe(Boolean(value));
    }
  });

  it.each(BOOLEANS)('of %s: %s accepts every word for false', async (endpoint, name) => {
    for (const word of FALSE) {
      const answer = await lab.rest(endpoint, { ...NEEDED[endpoint], [name]: word });
      expect([word, answer.status]).toEqual([word, 200]);
    }
  });

  it.each(BOOLEANS)('of %s: %s refuses any other word, and names it', async (endpoint, name) => {
    for (const word of ['maybe', '2', '-1', 'y', 't', 'null', ' true', 'true,true', '１']) {
      const [status, message] = await lab.refusal(endpoint, { ...NEEDED[endpoint], [name]: word });
      expect(message).toMatch(new RegExp(`^${name} must be .+, got ${JSON.stringify(word)}$`));
      expect(status).toBe(400);
    }
  });
});

const INTEGERS = ['meter', 'maxitems', 'flags', 'recentsecs', 'window_seconds', 'timeout'] as const;

describe('an integer (decision 2)', () => {
  const { counter_group } = NEEDED.topper;

  it.each(INTEGERS)('%s may be decimal digits with an optional sign', async (name) => {
    const good = name === 'meter' ? '0' : '5';
    for (const text of [good, `+${good}`, `00${good}`]) {
      const answer = await lab.rest('topper', { counter_group, [name]: text });
      expect([text, answer.status]).toEqual([text, 200]);
    }
  });

  const words = ['abc', '1.5', '1e2', '0x10', '1_000', '--1', '+', ' 1', '1 ', '٣', 'NaN', '1,2'];
  it.each([...INTEGERS, 'window_fromts', 'window_tots'])(
    '%s may not be anything else',
    async (name) => {
      for (const text of words) {
        const parameters = { counter_group, window_fromts: T0, window_tots: T0 + 60, [name]: text };
        if (name === 'recentsecs') Object.assign(parameters, NO_WINDOW);
        const [status, message] = await lab.refusal('topper', parameters);
        expect(message).toMatch(
          new RegExp(`^${name} must be .+, got ${JSON.stringify(text).replaceAll('+', '\\+')}$`),
        );
        expect(status).toBe(400);
      }
    },
  );

  const NO_WINDOW = { window_fromts: undefined, window_tots: undefined };

  it('lies within ±(2^53−1)', async () => {
    const flags = (value: string) => lab.rest('topper', { counter_group, flags: value });
    expect((await flags('9007199254740991')).status).toBe(200);
    expect((await flags('-9007199254740991')).status).toBe(200);
    for (const text of ['9007199254740992', '-9007199254740992', '1'.repeat(400)]) {
      const [status, message] = await lab.refusal('topper', { counter_group, flags: text });
      expect(message).toMatch(/^flags must be .+, got "-?\d+/);
      expect(status).toBe(400);
    }
  });

  it('beyond 2^53 in JSON is refused, and the message has the given digits', async () => {
    for (const flags of [9007199254740993n, 12345678901234567890n]) {
      const parameters = { counter_group, flags };
      const [status, message] = await lab.refusal('topper', parameters, { encoding: 'json' });
      expect(message).toMatch(/^flags must be ./);
      expect(message).toContain(String(flags));
      expect(status).toBe(400);
    }
  });

  it('flags changes nothing (decision 9)', async () => {
    const plain = await lab.rest('topper', NEEDED.topper);
    for (const flags of [0, 1, -1, 2 ** 40]) {
      expect((await lab.rest('topper', { ...NEEDED.topper, flags })).text).toBe(plain.text);
    }
  });
});

describe('maxitems (decision 29)', () => {
  const count = async (maxitems?: number | string, service = lab) =>
    (await service.topper({ ...NEEDED.topper, maxitems })).keys.length;

  it('is 100 unless given, and 1 to 10,000', async () => {
    expect(await count()).toBe(100);
    expect(await count('')).toBe(100);
    expect(await count(1)).toBe(1);
    expect(await count(119)).toBe(119);
    expect(await count(10_000)).toBe(120);
  });

  it.each([0, -1, 10_001, 99_999])('is not %d', async (maxitems) => {
    expect(await lab.refusal('topper', { ...NEEDED.topper, maxitems })).toEqual([
      400,
      `maxitems must be an integer from 1 to 10000, got "${maxitems}"`,
    ]);
  });

  it('is refused with the message of the specification when it is not an integer', async () => {
    expect(await lab.refusal('topper', { ...NEEDED.topper, maxitems: 'abc' })).toEqual([
      400,
      'maxitems must be an integer from 1 to 10000, got "abc"',
    ]);
  });

  it('has a maximum that is configurable', async () => {
    const { databaseUrl } = lab;
    const small = await startTestService({ databaseUrl, settings: { maxTopperItems: 50 } });
    try {
      expect(await count(50, small)).toBe(50);
      expect(await small.refusal('topper', { ...NEEDED.topper, maxitems: 51 })).toEqual([
        400,
        'maxitems must be an integer from 1 to 50, got "51"',
      ]);
      expect(await count(undefined, small)).toBe(50);
    } finally {
      await small.close();
    }
  });
});

describe('timeout (decision 14)', () => {
  it.each(['slices', 'groups', 'topper'] as const)('of %s is −1 or 1 to 2,147,483', async (to) => {
    for (const timeout of [-1, 1, 60, 2_147_483]) {
      expect((await lab.rest(to, { ...NEEDED[to], timeout })).status).toBe(200);
    }
    for (const timeout of [0, -2, -60, 2_147_484, 9_007_199_254_740_991]) {
      const [status, message] = await lab.refusal(to, { ...NEEDED[to], timeout });
      expect(message).toMatch(new RegExp(`^timeout must be .+, got "${timeout}"$`));
      expect(status).toBe(400);
    }
  });
});

describe('percentile ranks (decision 27)', () => {
  it.each(['0', '100', '50', '99.9', '0.001', '99.99999', '050'])('may be %s', async (rank) => {
    const { keys } = await lab.topper({ ...NEEDED.topper, maxitems: 1, get_percentiles: rank });
    expect(keys[0]?.percentiles).toEqual([{ rank: Number(rank), value: expect.any(Number) }]);
  });

  it.each(['-1', '-0.1', '100.1', '101', 'abc', 'NaN', 'Infinity', '50;95', '50 95', '1.2.3'])(
    'are not %s',
    async (rank) => {
      for (const get_percentiles of [rank, `50,${rank}`]) {
        const parameters = { ...NEEDED.topper, get_percentiles };
        const [status, message] = await lab.refusal('topper', parameters);
        expect(message).toMatch(/^get_percentiles must be .+, got ./);
        expect(message).toContain(rank);
        expect(status).toBe(400);
      }
    },
  );
});
