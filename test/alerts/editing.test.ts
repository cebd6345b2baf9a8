import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selectContext } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { exportDeclaration } from '../../export/declaration.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { type AlertLab, GROUP, reading, windowEnd } from './alert-lab.ts';
import {
  ask,
  LIMITED,
  OTHER,
  OWN,
  READER,
  ruleOf,
  rulesOf,
  type ShownRule,
  save,
  silence,
  startRuleLab,
} from './editing-lab.ts';

let lab: AlertLab;

beforeEach(async () => {
  lab = await startRuleLab();
});

afterEach(() => lab.close());

const saved = async (...given: Parameters<typeof save> extends [unknown, ...infer R] ? R : never) =>
  (await save(lab, ...given)) as ShownRule;

const remove = (name: string, as?: typeof READER) =>
  ask(lab, `mutation ($name: String!) { it: removeAlert(context: "${CONTEXT}", name: $name) }`, {
    name,
    ...(as && { as }),
  });

const audited = () =>
  lab.sql<{ user: string; action: string; object: string; detail: object }>(
    `select username as "user", action, object, detail from audit
     where action like 'alert%' and username in ('ada', 'lin') order by audit_id`,
  );

/** Begins an event of the rule `big` for both hosts. */
async function fire(): Promise<void> {
  await lab.importSamples([reading(OWN, 301, 50), reading(OTHER, 302, 60), reading(OTHER, 900, 1)]);
  await lab.decideAlertsNow();
}

const FULL = {
  name: 'big',
  condition: 'KEY_SHARE_ABOVE',
  threshold: 0.25,
  windowSeconds: 600,
  filter: { cidr: ['10.0.0.0/8'], exclude: '^0B' },
  probe: 'east',
  forWindows: 2,
  clearWindows: 3,
  severity: 'critical',
  description: 'too much',
  maxKeys: 7,
  enabled: false,
};

describe('saveAlert', () => {
  it('makes a rule with defaults, or with all that is given, marked with who made it', async () => {
    expect(await saved(ruleOf({ name: 'plain' }))).toMatchObject({
      name: 'plain',
      forWindows: 1,
      clearWindows: 1,
      maxKeys: 100,
      enabled: true,
      severity: 'warning',
      windowSeconds: 300,
      filter: null,
      madeInPage: true,
      madeBy: 'ada',
      silencedUntil: null,
    });
    const { condition, ...shown } = FULL;
    expect(await saved(ruleOf(FULL))).toMatchObject({
      ...shown,
      comparison: condition,
      filter: { cidr: ['10.0.0.0/8'], exclude: '^0B', match: null, keys: [], search: null },
    });
    expect(await audited()).toEqual(
      ['plain', 'big'].map((object) => ({
        user: 'ada',
        action: 'alert created',
        object,
        detail: { context: CONTEXT, page: true },
      })),
    );
  });

  it('replaces a rule, declared or not, renames it, and keeps its silence', async () => {
    await lab.declare({ big: { when: { key_above: 10 } } });
    await fire();
    const until = Math.floor(Date.now() / 1000) + 3600;
    await silence(lab, until);
    const { id } = await saved(ruleOf({ threshold: 20, replaces: 'big', name: 'larger' }));
    expect(await rulesOf(lab)).toMatchObject([
      { id, name: 'larger', threshold: 20, madeBy: 'ada', silencedUntil: until },
    ]);
    // The events of the earlier declaration have ended.
    expect((await lab.events()).map(({ endedAt }) => endedAt)).toEqual(
      [600, 600].map((n) => n + windowEnd(0)),
    );
    // A rule that is no different is the same one, whoever saves it.
    expect(
      await saved(ruleOf({ threshold: 20, replaces: 'larger', name: 'larger' })),
    ).toMatchObject({ id });
    expect(await audited()).toMatchObject([
      { action: 'alert silenced', object: 'big', detail: { until } },
      { action: 'alert changed', object: 'larger', detail: { renamed_from: 'big' } },
    ]);
  });

  it('reports all mistakes, with the words of `apply`', async () => {
    const wrong = ruleOf({
      name: ' big',
      meter: 3,
      windowSeconds: 100,
      forWindows: 0,
      maxKeys: 2000,
      threshold: 1.5,
      filter: { cidr: ['nowhere'], match: '(' },
    });
    const told = await save(lab, wrong);
    for (const text of [
      'INVALID',
      'alert.name must be a name of 1 to ',
      '; alert.forWindows must be an integer from 1 to 1000, got 0; ',
      'alert.maxKeys must be an integer from 1 to 1000, got 2000; ',
      'alert.threshold must be an integer from ',
      'alert.meter must be a meter of Hosts that can be ranked, got 3; ',
      'alert.windowSeconds must be a multiple of topper_bucket_size 300, got 100; ',
      'alert.filter.cidr',
      'alert.filter.match',
    ].slice(1)) {
      expect(told).toContain(text);
    }
    expect(told).toMatch(/^BAD_USER_INPUT: Invalid alert - alert\.name/);
    const elsewhere = GROUP.replace('1}', '9}');
    expect(await save(lab, ruleOf({ counterGroup: elsewhere }))).toBe(
      `BAD_USER_INPUT: Invalid alert - alert.counterGroup must be a group of context ${CONTEXT}, got ${elsewhere}`,
    );
    expect(
      await save(lab, ruleOf({ condition: 'SILENT_SECONDS', filter: { match: 'a' } })),
    ).toContain('alert.filter must be left out with silent_seconds');
    const many = Array.from({ length: 1_000 }, () => '\0');
    const counted = await save(lab, ruleOf({ filter: { keys: many } }));
    expect(counted).toMatch(/alert\.filter\.keys\[9\] must be [^;]*; and 990 more$/);
    const keys = Array.from({ length: 9_500 }, () => 'k'.repeat(19));
    expect(await save(lab, ruleOf({ filter: { keys } }))).toContain(
      'alert.filter must have at most 16384 characters, its texts one a line, got 189999: name',
    );
    expect(await rulesOf(lab)).toEqual([]);
  });

  it('overwrites nothing that the editor does not know of', async () => {
    const first = await saved(ruleOf());
    const prefix = 'BAD_USER_INPUT: The alert cannot be changed - ';
    expect(await save(lab, ruleOf({ threshold: 1 }))).toBe(
      `${prefix}there is another alert "big": name it in \`replaces\`, or choose another name`,
    );
    const second = await saved(ruleOf({ threshold: 2, replaces: 'big' }), { ifId: first.id });
    expect(await save(lab, ruleOf({ threshold: 3, replaces: 'big' }), { ifId: first.id })).toBe(
      `${prefix}"big" was changed since you read it: read it again, and repeat your change`,
    );
    await saved(ruleOf({ name: 'other' }));
    expect(await save(lab, ruleOf({ name: 'other', replaces: 'big' }))).toContain('another alert');
    expect(await save(lab, ruleOf({ replaces: 'gone' }))).toBe(
      'NOT_FOUND: Invalid alert name - gone',
    );
    expect((await rulesOf(lab)).map(({ id }) => id)).toContain(second.id);
  });

  it('by two editors at once makes one rule, and while it is decided, whole events', async () => {
    const both = await Promise.all([1, 2].map((n) => save(lab, ruleOf({ threshold: n }))));
    expect(both.filter((told) => typeof told === 'string')).toHaveLength(1);
    await fire();
    await lab.importSamples([reading(OWN, 1200, 70), reading(OWN, 1800, 1)]);
    const [current] = await rulesOf(lab);
    const ifId = current?.id ?? '';
    const changes = [5, 6].map((threshold) =>
      save(lab, ruleOf({ threshold, replaces: 'big' }), { ifId }),
    );
    await Promise.all([...changes, lab.decideAlertsNow()]);
    const told = await Promise.all(changes);
    expect(told.filter((each) => typeof each === 'string')).toHaveLength(1);
    const [left] = await lab.sql<{ count: number }>(
      `select count(*)::int as count from alert_events e join alerts a using (alert_id)
       where e.ended_at is null and a.superseded_at is not null`,
    );
    expect(left?.count).toBe(0);
  });

  it('and an `apply` of the same name at once never clash', async () => {
    const outcomes = await Promise.allSettled([
      lab.declare({ big: { when: { key_above: 1 } } }),
      save(lab, ruleOf({ threshold: 2 })),
      lab.declare({ big: { when: { key_above: 3 } } }),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(String(outcome.reason)).toContain('must have "replace": true');
      }
    }
    expect(await rulesOf(lab)).toHaveLength(1);
  });
});

describe('a rule that was made in the page', () => {
  const group = { group: GROUP };
  const rule = { name: 'big', ...group, when: { key_above: 10 } };
  const applied = (alert: object) => lab.apply({ context: CONTEXT, alerts: [alert] });

  it('is left alone by `apply`, unless the file says that it replaces it', async () => {
    const { id } = await saved(ruleOf());
    await applied({ name: 'other', ...group, when: { key_above: 1 } });
    const why = 'must have "replace": true, since "big" was made in the page by ada';
    for (const alert of [
      rule,
      { ...rule, when: { key_above: 9 } },
      { name: 'big', remove: true },
    ]) {
      await expect(applied(alert)).rejects.toThrow(`alerts[0] ${why}`);
    }
    expect(await rulesOf(lab)).toMatchObject([{ id, madeBy: 'ada' }, { madeBy: null }]);
    // The same rule is taken over as it is; its events go on.
    await applied({ ...rule, replace: true });
    expect(await rulesOf(lab)).toMatchObject([{ id, madeInPage: false, madeBy: null }, {}]);
    await applied({ ...rule, when: { key_above: 9 } });
    await saved(ruleOf({ replaces: 'big' }));
    await applied({ name: 'big', replace: true, remove: true });
    expect((await rulesOf(lab)).map(({ name }) => name)).toEqual(['other']);
  });

  it('is exported with the mark that lets its file be applied', async () => {
    await saved(ruleOf());
    const text = await lab.write(async (to) => {
      const context = await selectContext(to, CONTEXT);
      if (!context) throw new Error('no context');
      const groups = await selectGroups(to, context.contextId);
      return (await exportDeclaration(to, { name: CONTEXT, context, groups })).text;
    });
    expect(JSON.parse(text).alerts).toMatchObject([{ name: 'big', replace: true }]);
    await lab.apply(JSON.parse(text));
    expect(await rulesOf(lab)).toMatchObject([{ madeInPage: false }]);
  });
});

describe('removeAlert', () => {
  it('removes a rule and ends its events, or says that there is none', async () => {
    await saved(ruleOf());
    await fire();
    expect(await remove('big')).toBe(true);
    expect(await rulesOf(lab)).toEqual([]);
    expect((await lab.events()).every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(await remove('big')).toBe('NOT_FOUND: Invalid alert name - big');
  });
});

const ACKNOWLEDGE = `mutation ($id: ID!, $note: String) { it: acknowledgeEvent(id: $id, note: $note) {
  id acknowledgedBy note endedAt } }`;

const EVENTS = `{ it: context(name: "${CONTEXT}") { alertEvents { edges { node {
  id acknowledgedAt acknowledgedBy note key { key } } } } } }`;

type Shown = {
  id: string;
  acknowledgedAt: number | null;
  note: string | null;
  key: { key: string };
};

async function events(as?: typeof READER): Promise<Shown[]> {
  const found = await ask<{ alertEvents: { edges: { node: Shown }[] } }>(lab, EVENTS, {
    ...(as && { as }),
  });
  return (found as Exclude<typeof found, string>).alertEvents.edges.map(({ node }) => node);
}

describe('acknowledgeEvent', () => {
  beforeEach(async () => {
    await saved(ruleOf());
    await fire();
  });

  const idOf = async (key: string) => (await events()).find((each) => each.key.key === key)?.id;

  it('says who looks after an event, and the last one counts', async () => {
    const id = await idOf(OWN);
    const by = { id, acknowledgedBy: 'ada', endedAt: null };
    expect(await ask(lab, ACKNOWLEDGE, { id })).toEqual({ ...by, note: null });
    for (let time = 0; time < 2; time += 1) {
      expect(await ask(lab, ACKNOWLEDGE, { id, note: 'a backup' })).toEqual({
        ...by,
        note: 'a backup',
      });
    }
    expect(await ask(lab, ACKNOWLEDGE, { id, as: LIMITED, note: 'mine' })).toEqual({
      ...by,
      acknowledgedBy: 'lin',
      note: 'mine',
    });
    // The one that made no difference leaves no row.
    expect((await audited()).slice(1).map(({ user, action }) => `${user}: ${action}`)).toEqual([
      'ada: alert event acknowledged',
      'ada: alert event acknowledged',
      'lin: alert event acknowledged',
    ]);
  });

  it('is refused to readers, for a note that is too long, and for what one does not see', async () => {
    const id = await idOf(OWN);
    expect(await ask(lab, ACKNOWLEDGE, { id, as: READER })).toMatch(/^FORBIDDEN/);
    expect(await ask(lab, ACKNOWLEDGE, { id, note: 'x'.repeat(1_001) })).toContain(
      'note must be a text of at most 1000 characters',
    );
    expect(await ask(lab, ACKNOWLEDGE, { id: await idOf(OTHER), as: LIMITED })).toBeNull();
    expect(await ask(lab, ACKNOWLEDGE, { id: 'bm8=' })).toBeNull();
    expect((await events()).every(({ acknowledgedAt }) => acknowledgedAt === null)).toBe(true);
  });

  it('tells whoever is limited that somebody looks after it, but not who or why', async () => {
    await ask(lab, ACKNOWLEDGE, { id: await idOf(OWN), note: 'see 10.2.0.1' });
    expect(await events(LIMITED)).toEqual([
      expect.objectContaining({
        acknowledgedAt: expect.any(Number),
        acknowledgedBy: null,
        note: null,
      }),
    ]);
  });
});

describe('changes of rules', () => {
  it('are refused to readers, and to editors of a part of the context', async () => {
    await saved(ruleOf());
    const until = Math.floor(Date.now() / 1000) + 60;
    const mutations = [
      `saveAlert(context: "${CONTEXT}", alert: { name: "x", counterGroup: "${GROUP}",
        condition: KEY_ABOVE, threshold: 1 }) { name }`,
      `removeAlert(context: "${CONTEXT}", name: "big")`,
      `silenceAlert(context: "${CONTEXT}", name: "big", until: ${until}) { name }`,
    ];
    for (const mutation of mutations) {
      expect(await ask(lab, `mutation { it: ${mutation} }`, { as: READER })).toMatch(
        /^FORBIDDEN: User rita needs the role editor/,
      );
      expect(await ask(lab, `mutation { it: ${mutation} }`, { as: LIMITED })).toMatch(
        /^FORBIDDEN: User lin may see only a part of context lab/,
      );
    }
    expect(await rulesOf(lab)).toMatchObject([{ name: 'big', silencedUntil: null }]);
    expect(
      await ask(lab, 'mutation { it: removeAlert(context: "nowhere", name: "big") }'),
    ).toBeNull();
  });

  it('tell whoever is limited nothing of filters, silences and people', async () => {
    await saved(ruleOf({ filter: { excludeCidr: ['10.3.0.0/16'] } }));
    await silence(lab, Math.floor(Date.now() / 1000) + 60, 'because');
    await fire();
    const rule = `{ it: context(name: "${CONTEXT}") { alertSinks { name } alertEvents { edges { node {
      alert { madeBy silencedUntil silencedBy silenceReason filter { excludeCidr } } } } } } }`;
    const nothing = {
      madeBy: null,
      silencedUntil: null,
      silencedBy: null,
      silenceReason: null,
      filter: null,
    };
    expect(await ask(lab, rule, { as: LIMITED })).toEqual({
      alertSinks: null,
      alertEvents: { edges: [{ node: { alert: nothing } }] },
    });
  });
});
