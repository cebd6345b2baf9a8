import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AlertLab, reading } from '../alerts/alert-lab.ts';
import { ask, OWN, READER, ruleOf, startRuleLab } from '../alerts/editing-lab.ts';
import { type OpenStream, openStream } from '../support/http/event-stream.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  startTestService,
  type TestService,
} from '../support/lab/service.ts';

let lab: AlertLab;
/** Another server of the same database. */
let other: TestService;
let streams: OpenStream[] = [];

beforeAll(async () => {
  lab = await startRuleLab();
  other = await startTestService({ databaseUrl: lab.databaseUrl });
  await lab.apply({
    context: CONTEXT,
    notify: [{ name: 'noc', kind: 'webhook', url: 'https://noc.example/hook' }],
  });
});

afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});

afterAll(async () => {
  await other.close();
  await lab.close();
});

type Rule = {
  readonly id: string;
  readonly severity: string;
  readonly silenceReason: string | null;
  readonly firing: readonly { readonly id: string; readonly note: string | null }[];
};

type Shown = {
  readonly views: readonly { readonly address: string; readonly starred: boolean }[];
  readonly alerts: readonly Rule[];
};

const FIELDS = `{ views { name address starred }
  alerts { id severity silenceReason firing { id note } } }`;

async function follow(selection = FIELDS, as: Credentials = ADA): Promise<OpenStream> {
  const query = `subscription { it: contextChanged(name: "${CONTEXT}") ${selection} }`;
  const stream = await openStream(other.url, query, { headers: basic(as) });
  streams.push(stream);
  return stream;
}

const DOCUMENT = `{ it: context(name: "${CONTEXT}") ${FIELDS} }`;

/** Asks as a client with a cache does. */
async function asked(url: string, tag = '') {
  const answer = await fetch(`${url}/graphql?query=${encodeURIComponent(DOCUMENT)}`, {
    headers: { ...basic(ADA), accept: 'application/json', 'if-none-match': tag },
  });
  const text = await answer.text();
  return {
    tag: answer.headers.get('etag') ?? '',
    shown: answer.status === 304 ? null : (JSON.parse(text) as { data: { it: Shown } }).data.it,
  };
}

const auditRows = async () => (await lab.sql('select from audit')).length;

type Change = {
  readonly mutation: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Reads what is different then. */
  readonly seen: (shown: Shown) => unknown;
  readonly expected: unknown;
};

/** Makes a change, and expects it in every answer of both servers from then on. */
async function expectEverywhere({ mutation, variables = {}, seen, expected }: Change) {
  const urls = [lab.url, other.url];
  const before = await Promise.all(urls.map((url) => asked(url)));
  // Frequent documents are compiled, and answers may be remembered then.
  for (let time = 0; time < 6; time += 1) {
    for (const url of urls) expect((await asked(url, before[0]?.tag)).shown).toBeNull();
  }
  expect(await ask(lab, mutation, variables)).not.toEqual(expect.stringContaining(':'));
  for (const url of urls) {
    const { shown } = await asked(url, before[0]?.tag);
    expect(shown && seen(shown), mutation).toEqual(expected);
  }
}

/** Repeats a mutation, which changes nothing then, and leaves no row. */
async function expectNoRow({ mutation, variables = {} }: Change) {
  const rows = await auditRows();
  expect(await ask(lab, mutation, variables)).not.toBeNull();
  expect(await auditRows(), mutation).toBe(rows);
}

const AT = `context: "${CONTEXT}"`;
const UNTIL = Math.floor(Date.now() / 1000) + 3600;
const saveView = (given: string) => `mutation { it: saveView(${AT}, name: "v" ${given}) { name } }`;
const firstView = ({ views: [first] }: Shown) => first;
const firstRule = ({ alerts: [first] }: Shown) => first;

const VIEWS: readonly Change[] = [
  {
    mutation: saveView('address: "?top=1"'),
    seen: (shown) => firstView(shown)?.address,
    expected: '?top=1',
  },
  {
    mutation: saveView('address: "?top=2", shared: true'),
    seen: (shown) => firstView(shown)?.address,
    expected: '?top=2',
  },
  {
    mutation: `mutation { it: starView(${AT}, name: "v", starred: true) { name } }`,
    seen: (shown) => firstView(shown)?.starred,
    expected: true,
  },
  {
    mutation: saveView('starred: false'),
    seen: (shown) => firstView(shown)?.starred,
    expected: false,
  },
];

const REMOVED_VIEW: Change = {
  mutation: `mutation { it: removeView(${AT}, name: "v") }`,
  seen: ({ views }) => views.length,
  expected: 0,
};

const SAVED_RULE: Change = {
  mutation: `mutation ($alert: AlertInput!) { it: saveAlert(${AT}, alert: $alert) { name } }`,
  variables: { alert: ruleOf() },
  seen: (shown) => firstRule(shown)?.severity,
  expected: 'warning',
};

const RULES: readonly Change[] = [
  {
    ...SAVED_RULE,
    variables: { alert: { ...ruleOf(), severity: 'page', replaces: 'big' } },
    expected: 'page',
  },
  {
    mutation: `mutation { it: silenceAlert(${AT}, name: "big", until: ${UNTIL}, reason: "works") {
      name } }`,
    seen: (shown) => firstRule(shown)?.silenceReason,
    expected: 'works',
  },
  {
    mutation: `mutation { it: silenceAlert(${AT}, name: "big") { name } }`,
    seen: (shown) => firstRule(shown)?.silenceReason,
    expected: null,
  },
];

const REMOVED_RULE: Change = {
  mutation: `mutation { it: removeAlert(${AT}, name: "big") }`,
  seen: ({ alerts }) => alerts.length,
  expected: 0,
};

describe('a change of saved views or rules', () => {
  it('is in the next answer of every server and in streams, and once in the audit', async () => {
    const stream = await follow();
    await stream.answer();
    const told = async (change: Change) => {
      await expectEverywhere(change);
      const { it: shown } = await stream.answer<{ it: Shown }>();
      expect(change.seen(shown), change.mutation).toEqual(change.expected);
    };
    for (const change of VIEWS) {
      await told(change);
      await expectNoRow(change);
    }
    await told(REMOVED_VIEW);
    await told(SAVED_RULE);
    for (const change of RULES) {
      await told(change);
      await expectNoRow(change);
    }
    await told(REMOVED_RULE);
  });

  it('is there for events, too, which streams of events are sent', async () => {
    expect(await ask(lab, SAVED_RULE.mutation, SAVED_RULE.variables)).toEqual({ name: 'big' });
    await lab.importSamples([reading(OWN, 240, 20), reading(OWN, 660, 1)]);
    await lab.decideAlertsNow();
    const [event] = (await asked(lab.url)).shown?.alerts[0]?.firing ?? [];
    const query = `subscription { it: alertEvents(${AT}) { note } }`;
    const stream = await openStream(other.url, query);
    streams.push(stream);
    expect(await stream.answer()).toEqual({ it: { note: null } });
    const seen: Change = {
      mutation: 'mutation ($id: ID!) { it: acknowledgeEvent(id: $id, note: "seen") { note } }',
      variables: { id: event?.id },
      seen: (shown) => firstRule(shown)?.firing[0]?.note,
      expected: 'seen',
    };
    await expectEverywhere(seen);
    expect(await stream.answer()).toEqual({ it: { note: 'seen' } });
    await expectNoRow(seen);
  });
});

describe('streams of what each caller is told of their own', () => {
  it('are never shared', async () => {
    for (const as of [ADA, READER]) {
      expect(await ask(lab, saveView('address: "?"'), { as })).toEqual({ name: 'v' });
    }
    const own = '{ views { owner } alertSinks { name } }';
    const [ada, rita] = await Promise.all([ADA, READER].map((as) => follow(own, as)));
    expect(await ada?.answer()).toEqual({
      it: { views: [{ owner: 'ada' }], alertSinks: [{ name: 'noc' }] },
    });
    expect(await rita?.answer()).toEqual({ it: { views: [{ owner: 'rita' }], alertSinks: null } });
  });
});
