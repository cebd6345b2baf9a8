import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: [meter(0, 2), meter(7, 0)] })],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
});

afterAll(() => lab.close());

const WINDOW = `window: { startingAt: { from: ${T0}, seconds: 60 } }`;

describe('a bad argument fails only its own field (sections 9 and 10)', () => {
  it.each([
    ['topper', `topper(probe: "nowhere") { total }`, 'Invalid probe - nowhere'],
    ['topper', `topper(probe: "") { total }`, undefined],
    ['topper', `topper(meter: 99) { total }`, 'Invalid meter - 99'],
    ['topper', `topper(meter: -1) { total }`, 'Invalid meter - -1'],
    ['topper', `topper(meter: 7) { total }`, 'Invalid meter - 7'],
    ['topper', `topper(maxItems: 0) { total }`, undefined],
    ['topper', `topper(maxItems: -5) { total }`, undefined],
    ['topper', `topper(maxItems: 10001) { total }`, undefined],
    ['topper', `topper(timeoutSeconds: 0) { total }`, undefined],
    ['topper', `topper(timeoutSeconds: -1) { total }`, undefined],
    ['topper', `topper(timeZone: "Mars/Olympus") { total }`, undefined],
    ['timeInterval', `timeInterval(probe: "nowhere") { from }`, 'Invalid probe - nowhere'],
    ['keys', `keys(first: -1) { totalCount }`, undefined],
    ['keys', `keys(after: "?") { totalCount }`, undefined],
  ])('%s: %s', async (field, selection, message) => {
    const { data, errors, status } = await lab.graphql(
      `{ viewer { username } context(name: "lab") { name counterGroup(guid: "${GROUP}") {
        guid ${selection} } } }`,
    );
    // An empty probe is the same as none (decision 1), so the field may be answered.
    if (selection.includes('probe: ""') && errors === undefined) return;
    expect(data).toEqual({
      viewer: { username: 'ada' },
      context: { name: 'lab', counterGroup: { guid: GROUP, [field]: null } },
    });
    expect(errors).toMatchObject([
      {
        path: ['context', 'counterGroup', field],
        extensions: { code: 'BAD_USER_INPUT' },
        ...(message !== undefined && { message }),
      },
    ]);
    expect(status).toBe(200);
  });

  it('also within the keys of a topper', async () => {
    const { data, errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(guid: "${GROUP}") { topper(${WINDOW}) { keys {
        key metric bad: percentiles(ranks: [101]) { value } good: percentiles(ranks: [50]) { value }
        previous(ago: 0) { metric } } } } } }`,
    );
    expect(data).toEqual({
      context: {
        counterGroup: {
          topper: {
            keys: [{ key: 'k', metric: 1, bad: null, good: [{ value: 1 }], previous: null }],
          },
        },
      },
    });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      'BAD_USER_INPUT',
      'BAD_USER_INPUT',
    ]);
  });

  it.each([[-0.5], [100.5], [-1], [1e300]])('rank %d', async (rank) => {
    const { data, errors } = await lab.graphql(
      `query ($ranks: [Float!]!) { context(name: "lab") { counterGroup(guid: "${GROUP}") {
        topper(${WINDOW}) { keys { key percentiles(ranks: $ranks) { value } } } } } }`,
      { ranks: [50, rank] },
    );
    expect(data).toMatchObject({
      context: { counterGroup: { topper: { keys: [{ key: 'k', percentiles: null }] } } },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  it.each([
    ['before 0', { from: -1, to: 60 }],
    ['after the year 9999', { from: 0, to: 253_402_300_800 }],
  ])('a time %s for slices', async (_, within) => {
    const { data, errors } = await lab.graphql(
      `query ($within: TimeIntervalInput) { context(name: "lab") { name
        slices(within: $within) { name } } }`,
      { within },
    );
    expect(data).toEqual({ context: { name: 'lab', slices: null } });
    expect(errors).toMatchObject([
      { path: ['context', 'slices'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('a missing object is null without an error (section 9)', () => {
  it('for a context, a group, a meter, a key and a node', async () => {
    expect(
      await lab.data(
        `{ node(id: "x") { id } nodes(ids: ["x", "y"]) { id } none: context(name: "x") { id }
          context(name: "lab") { counterGroup(guid: "${guidOf(9)}") { id }
            group: counterGroup(guid: "${GROUP}") { meter(index: 9) { id } key(key: "x") { id } } } }`,
      ),
    ).toEqual({
      node: null,
      nodes: [null, null],
      none: null,
      context: { counterGroup: null, group: { meter: null, key: null } },
    });
  });
});

const NO_GUID =
  'Guid must look like "{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}", case and braces optional; ' +
  '`counterGroups { guid name }` of a context lists the existing ones, got "Hosts"';

describe('a document', () => {
  it.each([
    ['is empty', ''],
    ['does not parse', '{ viewer { username }'],
    ['selects a field that does not exist', '{ viewer { password } }'],
    ['selects no fields of an object', '{ viewer }'],
    ['has an unknown argument', '{ context(name: "lab", colour: "red") { name } }'],
    ['omits a required argument', '{ context { name } }'],
    ['has an argument of another type', '{ context(name: 17) { name } }'],
    ['has a variable that is not declared', '{ context(name: $name) { name } }'],
    ['is a mutation', 'mutation { viewer { username } }'],
    ['has no operation', 'type A { b: C }'],
  ])('that %s is BAD_USER_INPUT', async (_, query) => {
    const { data, errors, headers } = await lab.graphql(query);
    expect(data ?? null).toBeNull();
    expect(errors?.length).toBeGreaterThan(0);
    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('BAD_USER_INPUT');
    expect(headers['content-type']).toMatch(/json/);
  });

  it.each([
    ['is not JSON', 'application/json', '{"query": "{ viewer'],
    ['is a list', 'application/json', '[{"query": "{ __typename }"}]'],
    ['has no query', 'application/json', '{"variables": {}}'],
    ['has another media type', 'text/plain', '{ __typename }'],
  ])('in a body that %s is refused', async (_, type, body) => {
    const headers = { ...basic(ADA), 'content-type': type };
    const answer = await lab.call('/graphql', { method: 'POST', headers, body });
    // GraphQL over HTTP answers `application/json` with 200 where a document cannot be executed.
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('"data"');
  });

  it('with wrong variables is BAD_USER_INPUT', async () => {
    const query = 'query ($name: String!) { context(name: $name) { name } }';
    for (const variables of [{}, { name: null }, { name: 17 }, { name: ['lab'] }]) {
      const { data, errors } = await lab.graphql(query, variables);
      expect(data ?? null).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it.each(['Guid', 'EpochSeconds'])('with an object as %s is BAD_USER_INPUT', async (type) => {
    const use: Record<string, string> = {
      Guid: 'counterGroup(guid: $given) { name }',
      EpochSeconds: 'slices(within: { from: $given, to: 1 }) { name }',
    };
    const query = `query ($given: ${type}!) { context(name: "lab") { ${use[type]} } }`;
    const { errors } = await lab.graphql(query, { given: { toString: '+' } });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toMatch(/, got \{"toString":"\+"\}$/);
  });

  it.each(['1.5', 'noon', 2 ** 53])(
    'with %j as a time is told to give an integer',
    async (given) => {
      const query = `query ($given: EpochSeconds!) {
      context(name: "lab") { slices(within: { from: $given, to: 1 }) { name } } }`;
      const { errors } = await lab.graphql(query, { given });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      expect(errors?.[0]?.message).toContain(
        'EpochSeconds must be an integer number of seconds since 1970-01-01T00:00:00Z, ' +
          `got ${JSON.stringify(given)}`,
      );
    },
  );

  it('with a wrong variable gets status 400 and the name of the variable', async () => {
    const query = `query ($context: String!, $group: Guid!) {
      context(name: $context) { counterGroup(guid: $group) { name } } }`;
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, errors, text } = await lab.graphql(
        query,
        { context: 17, group: 'Hosts' },
        { ...basic(ADA), accept },
      );
      expect(Object.keys(JSON.parse(text))).toEqual(['errors']);
      expect([status, errors?.map(({ message }) => message)]).toEqual([
        400,
        [
          'Variable "$context" got invalid value 17; String cannot represent a non string value: 17',
          `Variable "$group" got invalid value "Hosts"; ${NO_GUID}`,
        ],
      ]);
    }
  });

  it("with a group's name in place of its GUID is told how to get the GUID", async () => {
    const { errors } = await lab.graphql(
      '{ context(name: "lab") { counterGroup(guid: "Hosts") { name } } }',
    );
    expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
      [NO_GUID, 'BAD_USER_INPUT'],
    ]);
  });

  it('with two operations runs the one that is named', async () => {
    const query = 'query A { viewer { username } } query B { contexts { name } }';
    const post = async (operationName?: string) => {
      const headers = { ...basic(ADA), 'content-type': 'application/json' };
      const body = JSON.stringify({ query, operationName });
      return JSON.parse((await lab.call('/graphql', { method: 'POST', headers, body })).text);
    };
    expect(await post('A')).toEqual({ data: { viewer: { username: 'ada' } } });
    expect(await post('B')).toEqual({ data: { contexts: [{ name: 'lab' }] } });
    expect(await post()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('may ask for sixty toppers at once', async () => {
    const aliases = Array.from({ length: 60 }, (_, i) => `t${i}: topper(${WINDOW}) { total }`);
    const { context } = await lab.data<{ context: { counterGroup: object } }>(
      `{ context(name: "lab") { counterGroup(guid: "${GROUP}") { ${aliases.join(' ')} } } }`,
    );
    expect(Object.values(context.counterGroup)).toEqual(aliases.map(() => ({ total: 1 })));
  });
});

describe('a defect', () => {
  it('is masked from the caller and logged with the request id', async () => {
    await lab.sql('alter table open_segment_pages rename to pages_gone');
    lab.emptyCaches();
    try {
      const query = `{ viewer { username } context(name: "lab") { counterGroup(guid: "${GROUP}") {
        guid topper(${WINDOW}) { total } } } }`;
      const { data, errors, text, headers } = await lab.graphql(query);
      expect(data).toMatchObject({ viewer: {}, context: { counterGroup: { topper: null } } });
      expect(errors).toMatchObject([{ extensions: { code: 'BACKEND' } }]);
      const rest = await lab.rest('topper', { counter_group: GROUP, recentsecs: 60 });
      expect(rest.status).toBe(500);
      for (const answer of [text, rest.text]) {
        expect(answer).not.toMatch(/pages|relation|select|stack|\.ts\b/);
      }
      for (const id of [headers['x-request-id'], rest.headers['x-request-id']]) {
        const lines = lab
          .logText()
          .split('\n')
          .filter((line) => line.includes(String(id)));
        expect(lines.some((line) => line.includes('open_segment_pages'))).toBe(true);
      }
    } finally {
      await lab.sql('alter table pages_gone rename to open_segment_pages');
    }
    expect(await lab.topper({ counter_group: GROUP, recentsecs: 60 })).toMatchObject({
      keys: [{ key: 'k', metric: 1 }],
    });
  });
});
