import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENCODINGS, type RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import { ENDPOINT_NAMES, type EndpointName, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  await lab.apply({ context: 'secret', groups: [group(2)] });
  await lab.addUser({ username: 'grantless', token: 'grantless-token' }, []);
});

afterAll(() => lab.close());

/** The checks of decision 3 in their order: parameters that fail each, and the answer. */
const CHECKS: readonly [string, RestParameters, number, RegExp][] = [
  ['the credentials', { api_token: 'wrong' }, 401, /^Invalid API token$/],
  ['the presence of a context', { context: '' }, 400, /^context is required$/],
  ['the existence of the context', { context: 'nowhere' }, 422, /^Invalid context name - nowhere$/],
  [
    'the grant for the context',
    { context: 'secret' },
    403,
    /^User ada is not allowed to access context secret$/,
  ],
  ['the presence of a group', { counter_group: '' }, 400, /^counter_group is required$/],
  ['the form of values', { maxitems: 'abc' }, 400, /^maxitems must be /],
  ['the existence of names', { meter: 99 }, 422, /^Invalid meter - 99$/],
];

describe('the first check that fails decides the answer (decision 3)', () => {
  const all = { counter_group: GROUP };

  it.each(CHECKS)('alone: %s', async (_, parameters, status, message) => {
    expect(await lab.refusal('topper', { ...all, ...parameters })).toEqual([
      status,
      expect.stringMatching(message),
    ]);
  });

  const pairs = CHECKS.flatMap((first, i) =>
    CHECKS.slice(i + 1).map((second) => [first[0], second[0], first, second] as const),
  ).filter(([, , first, second]) => !('context' in first[1] && 'context' in second[1]));

  it.each(pairs)('%s, before %s', async (_first, _second, first, second) => {
    const [, parameters, status, message] = first;
    const [, later] = second;
    expect(await lab.refusal('topper', { ...all, ...later, ...parameters })).toEqual([
      status,
      expect.stringMatching(message),
    ]);
  });

  it('everything wrong at once is 401', async () => {
    const wrong = { context: 'nowhere', counter_group: '', maxitems: 'abc', recentsecs: 0 };
    for (const endpoint of ENDPOINT_NAMES) {
      expect(await lab.refusal(endpoint, { ...wrong, api_token: 'wrong' })).toEqual([
        401,
        'Invalid API token',
      ]);
    }
  });

  it.each([
    ['a bad window', { recentsecs: 0 }],
    ['a bad date', { from_date: 'x', to_date: 'y' }],
    ['a bad pattern', { key_filter: '(' }],
    ['a bad rank', { get_percentiles: '101' }],
    ['a bad zone', { time_zone: 'Mars/Olympus' }],
    ['a bad timeout', { timeout: 0 }],
    ['a bad boolean', { resolve_keys: 'maybe' }],
    ['both ways to choose a node', { destination_node: 'primary', get_from_dr: true }],
  ])('%s, before a name that does not exist', async (_, parameters) => {
    const names = { counter_group: guidOf(9), meter: 99, probe_id: 'p9', destination_node: 'n9' };
    const answer = await lab.refusal('topper', { ...names, ...parameters });
    expect(answer[0]).toBe(400);
  });

  it('a malformed value, before a group that does not exist, on counter group info', async () => {
    const parameters = { counter_group: guidOf(9), get_meter_info: 'maybe' };
    expect((await lab.refusal('groups', parameters))[0]).toBe(400);
  });
});

describe('credentials (decisions 3 and 10)', () => {
  const BAD: readonly [string, RestParameters][] = [
    ['a wrong token', { api_token: 'wrong' }],
    ['an unknown user', { username: 'nobody' }],
    ['a user in another case', { username: 'ADA' }],
    ['a token in another case', { api_token: 'ADA-TOKEN' }],
    ['a token with a space after it', { api_token: 'ada-token ' }],
    ["another user's token", { api_token: 'grantless-token' }],
    ['no token', { api_token: undefined }],
    ['an empty token', { api_token: '' }],
    ['no user', { username: undefined }],
    ['an empty user', { username: '' }],
    ['neither', { username: undefined, api_token: undefined }],
    ['a NUL in the user', { username: 'ada\0' }],
    ['a NUL in the token', { api_token: '\0' }],
    ['a very long token', { api_token: 'x'.repeat(4000) }],
  ];

  for (const endpoint of ENDPOINT_NAMES) {
    it.each(BAD)(`on ${endpoint}, %s is always exactly the same 401`, async (_, parameters) => {
      const answer = await lab.rest(endpoint, parameters);
      expect(answer.text).toBe('{"status":"ERROR","message":"Invalid API token"}');
      expect(answer.status).toBe(401);
      expect(comparable(answer.headers)).toEqual(
        comparable((await lab.rest(endpoint, { api_token: 'wrong' })).headers),
      );
    });
  }

  it.each(ENCODINGS)('are read from %s', async (encoding) => {
    expect((await lab.rest('slices', {}, { encoding })).status).toBe(200);
    expect((await lab.rest('slices', { api_token: 'x' }, { encoding })).status).toBe(401);
  });

  it('may be valid without a grant for the context', async () => {
    const who = { username: 'grantless', api_token: 'grantless-token' };
    for (const endpoint of ENDPOINT_NAMES) {
      expect(await lab.refusal(endpoint, { ...who, counter_group: GROUP })).toEqual([
        403,
        'User grantless is not allowed to access context lab',
      ]);
    }
  });

  const comparable = ({ date: _, 'x-request-id': __, ...headers }: Record<string, unknown>) =>
    headers;
});

describe('names that do not exist (decision 4)', () => {
  const NAMES: readonly [EndpointName, RestParameters, string][] = [
    ['slices', { probe_id: 'p9' }, 'Invalid probe - p9'],
    ['groups', { probe_id: 'p9' }, 'Invalid probe - p9'],
    ['topper', { probe_id: 'p9' }, 'Invalid probe - p9'],
    ['slices', { destination_node: 'n9' }, 'Invalid destination node - n9'],
    ['groups', { destination_node: 'n9' }, 'Invalid destination node - n9'],
    ['topper', { destination_node: 'n9' }, 'Invalid destination node - n9'],
    ['slices', { get_from_dr: true }, 'Context lab has no disaster-recovery node'],
    ['groups', { counter_group: guidOf(9) }, `Invalid counter group - ${guidOf(9)}`],
    ['topper', { counter_group: guidOf(9) }, `Invalid counter group - ${guidOf(9)}`],
    ['groups', { counter_group: guidOf(2) }, `Invalid counter group - ${guidOf(2)}`],
    ['groups', { counter_group: 'x' }, 'Invalid counter group - x'],
    ['topper', { counter_group: '{}' }, 'Invalid counter group - {}'],
    ['topper', { meter: 1 }, 'Invalid meter - 1'],
    ['topper', { meter: -1 }, 'Invalid meter - -1'],
    ['topper', { meter: 4_000_000_000 }, 'Invalid meter - 4000000000'],
  ];

  it.each(NAMES)('on %s: %o', async (endpoint, parameters, message) => {
    const needed = endpoint === 'topper' ? { counter_group: GROUP } : {};
    expect(await lab.refusal(endpoint, { ...needed, ...parameters })).toEqual([422, message]);
  });

  it.each(['NOWHERE', 'Lab', ' lab', 'lab ', '__proto__', 'constructor', 'lab\0', 'läb'])(
    'context %s',
    async (context) => {
      for (const endpoint of ENDPOINT_NAMES) {
        expect(await lab.refusal(endpoint, { context })).toEqual([
          422,
          `Invalid context name - ${context}`,
        ]);
      }
    },
  );
});

describe('a GUID (decision 7)', () => {
  const bare = GROUP.slice(1, -1);

  it.each([GROUP, bare, GROUP.toLowerCase(), bare.toLowerCase(), `{${bare.toLowerCase()}}`])(
    'may be given as %s',
    async (counter_group) => {
      expect(await lab.topper({ counter_group })).toMatchObject({ counter_group: GROUP });
      expect(await lab.ok('groups', { counter_group })).toMatchObject({
        group_details: [{ guid: GROUP }],
      });
    },
  );

  it.each([
    `{${bare}`,
    `${bare}}`,
    `{{${bare}}}`,
    bare.replaceAll('-', ''),
    ` ${bare}`,
    `${bare}0`,
  ])('may not be given as %s', async (counter_group) => {
    for (const endpoint of ['groups', 'topper'] as const) {
      expect(await lab.refusal(endpoint, { counter_group })).toEqual([
        422,
        `Invalid counter group - ${counter_group}`,
      ]);
    }
  });
});
