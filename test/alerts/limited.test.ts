import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../access/users.ts';
import { openStream } from '../support/http/event-stream.ts';
import { group } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type Credentials } from '../support/lab/service.ts';
import { type AlertLab, reading, startAlertLab } from './alert-lab.ts';

const BY_NETWORK: Credentials = { username: 'network', token: 'network-token' };
const BY_PROBE: Credentials = { username: 'probe', token: 'probe-token' };

const OWN = '0A.01.00.01';
const OTHER = '0A.02.00.01';

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab({ groups: [group(1, { key_kind: 'ip' })] });
  const at = (key: string, second: number, value: number) => ({
    ...reading(key, second, value),
    probe: 'p1',
  });
  await lab.importSamples([at(OWN, 0, 1), at(OTHER, 0, 1)]);
  await lab.declare({
    above: { when: { key_above: 10 } },
    'above at p1': { when: { key_above: 10 }, probe: 'p1' },
    share: { when: { key_share_above: 0.1 } },
    top: { when: { key_in_top: 2 } },
    total: { when: { total_above: 10 } },
  });
  // Readings of the next window close the one before.
  await lab.importSamples([at(OWN, 301, 50), at(OTHER, 302, 60), at(OTHER, 900, 1)]);
  await lab.decideAlertsNow();
  for (const { username, token } of [BY_NETWORK, BY_PROBE]) {
    const networks = username === 'network' ? ['10.1.0.0/16'] : [];
    const probes = username === 'probe' ? ['p1'] : [];
    const limit = { networks, probes, groups: [] };
    await lab.write((to) => addUser(to, { name: username, token, contexts: [CONTEXT], limit }));
  }
});

afterAll(() => lab.close());

type Page = {
  edges: { cursor: string; node: { id: string; key: { key: string } | null; alert: Rule } }[];
  pageInfo: { hasNextPage: boolean; endCursor: string };
};

type Rule = {
  id: string;
  name: string;
  evaluatedTo: number | null;
  firing: { key: { key: string } | null }[];
};

type Answered = { context: { alerts: unknown[]; alertEvents: Page } };

const EVENTS = `query ($first: Int, $after: String) { context(name: "${CONTEXT}") {
  alerts { name }
  alertEvents(first: $first, after: $after) {
    edges { cursor node { id key { key } alert { id name evaluatedTo firing { key { key } } } } }
    pageInfo { hasNextPage endCursor } } } }`;

async function eventsOf(user: Credentials, first = 50) {
  const found: Page['edges'][number]['node'][] = [];
  for (let after: string | null = null; ; ) {
    const answer: Answered = await lab.data<Answered>(EVENTS, { first, after }, user);
    const { edges, pageInfo } = answer.context.alertEvents;
    found.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage) return { events: found, alerts: answer.context.alerts };
    expect(edges).toHaveLength(first);
    after = pageInfo.endCursor;
  }
}

const textsOf = (events: readonly { key: { key: string } | null; alert: { name: string } }[]) =>
  events.map(({ key, alert }) => `${alert.name}: ${key?.key ?? 'all'}`).sort();

describe('of the events of alerts, whoever is limited sees', () => {
  it('those about own values of the keys in the own networks, and of rules nothing else', async () => {
    const all = await eventsOf(ADA);
    expect(textsOf(all.events)).toEqual([
      `above at p1: ${OWN}`,
      `above at p1: ${OTHER}`,
      `above: ${OWN}`,
      `above: ${OTHER}`,
      `share: ${OWN}`,
      `share: ${OTHER}`,
      `top: ${OWN}`,
      `top: ${OTHER}`,
      'total: all',
    ]);
    const { events, alerts } = await eventsOf(BY_NETWORK);
    expect(textsOf(events)).toEqual([`above at p1: ${OWN}`, `above: ${OWN}`]);
    expect(alerts).toEqual([]);
    for (const { alert } of events) {
      expect(alert.evaluatedTo).toBeNull();
      for (const { key } of alert.firing) expect(key?.key).toBe(OWN);
    }
  });

  it('those of rules that read no other probe', async () => {
    const { events } = await eventsOf(BY_PROBE);
    expect(textsOf(events)).toEqual([`above at p1: ${OWN}`, `above at p1: ${OTHER}`]);
  });

  it('full pages, however many others lie between, in few statements', async () => {
    const statements = lab.watchStatements();
    await lab.data(EVENTS, { first: 0, after: null }, BY_PROBE);
    expect(statements().filter((text) => text.includes('alert_events')).length).toBe(1);
    expect((await eventsOf(BY_NETWORK, 1)).events).toEqual((await eventsOf(BY_NETWORK)).events);
  });

  it('no other event or rule by its id', async () => {
    const { events } = await eventsOf(ADA);
    const own = new Set((await eventsOf(BY_NETWORK)).events.map(({ id }) => id));
    const ids = events.flatMap(({ id, alert }) => [id, alert.id]);
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const { nodes } = await lab.data<{ nodes: ({ id: string } | null)[] }>(
      query,
      { ids },
      BY_NETWORK,
    );
    const names = new Map(events.map(({ alert }) => [alert.id, alert.name]));
    for (const [i, id] of ids.entries()) {
      const isSeen = own.has(id) || (names.get(id)?.startsWith('above') ?? false);
      expect(nodes[i]).toEqual(isSeen ? { id } : null);
    }
  });

  it('only these in a stream', async () => {
    const query = `subscription { it: alertEvents(context: "${CONTEXT}") {
      key { key } alert { name } } }`;
    const stream = await openStream(lab.url, query, { headers: basic(BY_NETWORK) });
    const message = () =>
      stream.answer<{ it: { key: { key: string }; alert: { name: string } } }>();
    const first = [await message(), await message()];
    expect(textsOf(first.map(({ it: event }) => event))).toEqual([
      `above at p1: ${OWN}`,
      `above: ${OWN}`,
    ]);
    stream.close();
  });
});
