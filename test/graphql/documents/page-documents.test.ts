import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isEnumType, type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { projectRoot } from '../../../db/project-root.ts';
import { schema } from '../../../schema/schema.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { post } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const page: Readonly<Record<string, string>> = JSON.parse(
  await readFile(join(projectRoot(), 'web', 'generated', 'documents.json'), 'utf8'),
);

let lab: TestService;

/** An administrator. */
const ROOT: Credentials = { username: 'root', token: 'root-token' };

/** An editor. */
const EDITH: Credentials = { username: 'edith', token: 'edith-token' };

const OF_ADMINISTRATORS = ['Audit', 'UserDetails', 'Users'];
const OF_EDITORS = ['AlertTrial'];

const whoAsks = (name: string): Credentials => {
  if (OF_ADMINISTRATORS.includes(name)) return ROOT;
  return OF_EDITORS.includes(name) ? EDITH : ADA;
};

beforeAll(async () => {
  const crosskey = (n: number) =>
    group(n, {
      key_kind: 'crosskey',
      crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
    });
  lab = await startLab({
    groups: [
      group(1),
      group(2),
      crosskey(3),
      crosskey(4),
      crosskey(5),
      group(6, { key_kind: 'ipv4' }),
    ],
    lines: [
      { group: guidOf(1), key: 'k1', ts: T0, values: { 0: 1 } },
      { group: guidOf(3), key: 'k1\\k2', ts: T0, values: { 0: 2 } },
      { group: guidOf(6), key: '0A.00.00.01', ts: T0, values: { 0: 3 } },
    ],
    documents: new Map(Object.entries(page)),
  });
  await lab.addUser(ROOT, []);
  await lab.sql(`update users set is_admin = true where username = 'root'`);
  await lab.addUser(EDITH, []);
  await lab.write((connection) =>
    addUser(connection, { name: EDITH.username, contexts: [CONTEXT], role: 'editor' }),
  );
});

afterAll(() => lab.close());

/** The values of the page's variables, by name. */
const GIVEN: Readonly<Record<string, unknown>> = {
  context: CONTEXT,
  fromDr: false,
  group: guidOf(1),
  meter: 0,
  key: 'k1',
  timeZone: 'UTC',
  window: { interval: { from: T0, to: T0 + DAY } },
  items: 10,
  charted: 5,
  step: 3600,
  every: 3600,
  ago: DAY,
  rankBy: 'METRIC',
  shownPercentile: 95,
  withSlices: false,
  withMatching: true,
  withHidden: true,
  hidden: ['k1'],
  hiddenItems: 1,
  drilled: 8,
  by: [3, 4, 5].map((n) => ({ crosskey: guidOf(n), meter: 0 })),
  events: 20,
  user: 'ada',
  name: 'ada',
  names: ['ada'],
  isGroup: false,
  isAdmin: false,
  role: 'READER',
  rows: 20,
  searched: [guidOf(1), guidOf(6)],
  typed: 'k',
  suggested: 5,
  traffic: guidOf(1),
  hasSides: true,
  ofKeys: true,
  intoMeter: 0,
  outMeter: 0,
  newest: { recentSeconds: 300 },
  cards: [guidOf(1), guidOf(6)],
  cardMeter: 0,
  cardStep: 3600,
};

/** A rule. */
const ALERT = { name: 'big', counterGroup: guidOf(1), condition: 'KEY_ABOVE', threshold: 1 };

/** Operations with other values. NetworkPanel needs a group whose keys are addresses. */
const GIVEN_TO: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  AlertTrial: { alert: ALERT },
  SaveAlert: { alert: ALERT },
  UpdateKeys: { keys: [{ key: 'k1', label: 'K' }] },
  EarlierTraffic: {
    first: { interval: { from: T0 - DAY, to: T0 } },
    second: { interval: { from: T0 - 7 * DAY, to: T0 - 6 * DAY } },
  },
  NetworkPanel: {
    group: guidOf(6),
    key: '0A.00.00.00/18',
    prefix: { ipv4: 24, ipv6: 48 },
    cidr: '10.0.0.0/24',
  },
};

const operationOf = (text: string): OperationDefinitionNode =>
  parse(text).definitions.find((each) => each.kind === 'OperationDefinition') ?? fail(text);

const fail = (text: string): never => {
  throw new Error(`no operation: ${text}`);
};

const ALL_DOCUMENTS = Object.entries(page).map(([hash, text]) => {
  const { name, operation, variableDefinitions = [] } = operationOf(text);
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  const given = { ...GIVEN, ...GIVEN_TO[name?.value ?? ''] };
  const variables = Object.fromEntries(names.map((each) => [each, given[each] ?? null]));
  return { name: name?.value ?? '', operation, text, hash, variables };
});

const DOCUMENTS = ALL_DOCUMENTS.filter(({ operation }) => operation === 'query');
/** Mutations are never cached. */
const MUTATIONS = ALL_DOCUMENTS.filter(({ operation }) => operation === 'mutation');
/** Subscribers to the same data share one answer, so subscriptions are not compiled. */
const STREAMS = ALL_DOCUMENTS.filter(({ operation }) => operation === 'subscription');

/** Asks as the page does. */
async function ask(document: Document): Promise<string> {
  const text = await answerText(document);
  expect(JSON.parse(text).errors).toBeUndefined();
  return text;
}

async function answerText({ name, hash, variables }: Document): Promise<string> {
  const sent = post(
    'application/json',
    JSON.stringify({ documentId: `sha256:${hash}`, variables }),
  );
  const answer = await lab.call('/graphql', {
    ...sent,
    headers: { ...sent.headers, ...basic(whoAsks(name)) },
  });
  return answer.text;
}

async function countOf(way: string): Promise<number> {
  const { text } = await lab.call('/metrics');
  return Number(
    text.match(new RegExp(`^countergraph_graphql_requests_total{way="${way}"} (\\d+)`, 'm'))?.[1],
  );
}

type Document = (typeof DOCUMENTS)[number];

const withVariables = (
  document: Document,
  more: Readonly<Record<string, string | number | boolean | null>>,
): Document => ({
  ...document,
  variables: { ...document.variables, ...more },
});

/** Each document that ranks keys, with every ranking but the one in `GIVEN`. */
const RANKINGS = DOCUMENTS.filter(({ variables }) => 'rankBy' in variables).flatMap((document) =>
  rankingNames()
    .filter((rankBy) => rankBy !== GIVEN['rankBy'])
    .map((rankBy) => ({
      name: document.name,
      rankBy,
      document: withVariables(document, {
        rankBy,
        percentile: rankBy === 'PERCENTILE' ? 95 : null,
      }),
    })),
);

function rankingNames(): string[] {
  const type = schema.getType('RankBy');
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : fail('RankBy');
}

/** Documents that show more than data: files, what imports hold, the state of alerts, users. */
const OF_THE_MOMENT = [
  'AddData',
  'Storage',
  'Alerts',
  'AlertHistory',
  'AlertMarks',
  'AlertTrial',
  'Audit',
  'SavedViews',
  'StarredViews',
  'UserDetails',
  'Users',
];

describe("the page's documents", () => {
  it('are all there', () => {
    expect(DOCUMENTS.map(({ name }) => name).sort()).toEqual([
      'AddData',
      'AlertHistory',
      'AlertMarks',
      'AlertTrial',
      'Alerts',
      'Audit',
      'Earlier',
      'EarlierTraffic',
      'KeyPanel',
      'KeyTexts',
      'NetworkPanel',
      'NetworkTraffic',
      'Overview',
      'OverviewCards',
      'Places',
      'SavedViews',
      'SignIn',
      'StarredViews',
      'Storage',
      'Suggestions',
      'TopKeys',
      'TopKeysWithout',
      'Trend',
      'UserDetails',
      'Users',
    ]);
    expect(MUTATIONS.map(({ name }) => name).sort()).toEqual([
      'AcknowledgeEvent',
      'AddUser',
      'EndSessions',
      'MakeToken',
      'RemoveAlert',
      'RemoveUser',
      'RemoveView',
      'RevokeGrant',
      'RevokeToken',
      'SaveAlert',
      'SaveGrant',
      'SaveView',
      'SetAdmin',
      'SilenceAlert',
      'StarView',
      'UpdateKeys',
      'UpdateSlice',
    ]);
    expect(STREAMS.map(({ name }) => name).sort()).toEqual([
      'AlertChanges',
      'LiveOverview',
      'LiveTopKeys',
      'LiveTopKeysWithout',
    ]);
  });

  it.each(STREAMS)('$name is answered as a stream', async ({ name, text, variables }) => {
    const stream = await openStream(lab.url, text, { variables });
    expect(stream.status).toBe(200);
    // No alert fires, so there is no change to send yet.
    if (name !== 'AlertChanges') {
      expect(await stream.answer()).toMatchObject({ contextChanged: { name: CONTEXT } });
    }
    stream.close();
  });

  // Readers have views of their own, and there is no event to acknowledge.
  const ofReaders = ['AcknowledgeEvent', 'RemoveView', 'SaveView', 'StarView'];

  it.each(MUTATIONS.filter(({ name }) => !ofReaders.includes(name)))(
    '$name, sent by its hash, is refused to readers',
    async (document) => {
      const { context } = await lab.data<{ context: { slices: { id: string }[] } }>(
        `{ context(name: "${CONTEXT}") { slices { id } } }`,
      );
      const variables = { ...document.variables, id: context.slices[0]?.id ?? '', tags: ['audit'] };
      const { errors } = JSON.parse(await answerText({ ...document, variables }));
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    },
  );

  it.each(DOCUMENTS)('$name is compiled', async (document) => {
    const before = await countOf('hot');
    await ask(document);
    expect(await countOf('hot')).toBe(before + 1);
  });

  it.each(DOCUMENTS.filter(({ variables }) => 'withSlices' in variables))(
    '$name is compiled when it asks for slices too',
    async (document) => {
      const before = await countOf('hot');
      await ask(withVariables(document, { withSlices: true }));
      expect(await countOf('hot')).toBe(before + 1);
    },
  );

  it.each(RANKINGS)(
    '$name by $rankBy is compiled, and answered from the cache',
    async ({ document }) => {
      const before = await countOf('hot');
      const first = await ask(document);
      expect(await countOf('hot')).toBe(before + 1);
      const statements = lab.watchStatements();
      expect(await ask(document)).toBe(first);
      // The one statement looks up the user.
      expect(statements()).toHaveLength(1);
    },
  );

  it.each(DOCUMENTS.filter(({ name }) => !OF_THE_MOMENT.includes(name)))(
    '$name is answered from the cache the second time',
    async (document) => {
      const first = await ask(document);
      const statements = lab.watchStatements();
      expect(await ask(document)).toBe(first);
      // The one statement looks up the user.
      expect(statements()).toHaveLength(1);
    },
  );
});
