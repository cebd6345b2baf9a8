import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT } from '../support/lab/service.ts';
import { type AlertLab, GROUP, reading, windowEnd } from './alert-lab.ts';
import { ask, LIMITED, OTHER, OWN, READER, ruleOf, startRuleLab } from './editing-lab.ts';

let lab: AlertLab;

beforeAll(async () => {
  lab = await startRuleLab();
  const lines = [1, 2, 3, 4, 5].map((n) =>
    reading(OWN, n * 300 - 60, n === 2 || n === 3 ? 50 + n : 1),
  );
  await lab.importSamples([...lines, reading(OTHER, 5 * 300 - 60, 70), reading(OTHER, 7 * 300, 1)]);
});

afterAll(() => lab.close());

type Trial = {
  fired: number;
  windows: number;
  window: { from: number; to: number } | null;
  events: { key: { key: string } | null; startedAt: number; endedAt: number | null }[];
};

const attempt = (alert: object, more: object = {}) =>
  ask<{ alertTrial: Trial }>(
    lab,
    `query ($alert: AlertInput!, $from: EpochSeconds!) { it: context(name: "${CONTEXT}") {
      alertTrial(alert: $alert, window: { interval: { from: $from, to: ${T0 + DAY} } }) {
        fired windows window { from to }
        events { key { key } startedAt endedAt value peakValue } } } }`,
    { alert, from: T0, ...more },
  );

describe('a trial of a rule', () => {
  it('has the events that the rule would have had, and says what was really tried', async () => {
    expect(await attempt(ruleOf())).toEqual({
      alertTrial: {
        fired: 2,
        windows: 7,
        window: { from: windowEnd(0), to: windowEnd(7) },
        events: [
          {
            key: { key: OWN },
            startedAt: windowEnd(2),
            endedAt: windowEnd(4),
            value: 52,
            peakValue: 53,
          },
          {
            key: { key: OTHER },
            startedAt: windowEnd(5),
            endedAt: windowEnd(6),
            value: 70,
            peakValue: 70,
          },
        ],
      },
    });
    // Nothing was stored.
    expect(await lab.sql('select from alerts union all select from alert_events')).toEqual([]);
  });

  it('tries the whole group, and says so when there is nothing to try', async () => {
    expect(await attempt(ruleOf({ condition: 'TOTAL_ABOVE', threshold: 60 }))).toMatchObject({
      alertTrial: { fired: 1, events: [{ key: null, startedAt: windowEnd(5) }] },
    });
    expect(await attempt(ruleOf(), { from: T0 + DAY - 60 })).toEqual({
      alertTrial: { fired: 0, windows: 0, window: null, events: [] },
    });
  });

  it('reports all mistakes of the rule', async () => {
    const told = await attempt(ruleOf({ forWindows: 0, windowSeconds: 100 }));
    expect(told).toBe(
      'BAD_USER_INPUT: Invalid alert - alert.forWindows must be an integer from 1 to 1000, got 0; ' +
        'alert.windowSeconds must be a multiple of topper_bucket_size 300, got 100',
    );
    expect(await attempt(ruleOf({ condition: 'SILENT_SECONDS', threshold: 9 }))).toContain(
      'alert.condition must be one with windows',
    );
  });

  it('may be one of several in a request, whether others fail or not', async () => {
    const trial = (name: string, rule: string) =>
      `${name}: alertTrial(alert: { name: "big", counterGroup: "${GROUP}", condition: KEY_ABOVE,
        ${rule} }, window: { interval: { from: ${T0}, to: ${T0 + DAY} } }) { fired }`;
    const document = `{ context(name: "${CONTEXT}") { ${trial('one', 'threshold: 10')}
      ${trial('none', 'threshold: 1.5')} ${trial('two', 'threshold: 60')} } }`;
    const { data, errors } = await lab.graphql(document, {}, basic(ADA));
    expect(data).toEqual({ context: { one: { fired: 2 }, none: null, two: { fired: 1 } } });
    expect(errors).toHaveLength(1);
  });

  it('is for editors of all of the context', async () => {
    expect(await attempt(ruleOf(), { as: READER })).toMatch(/^FORBIDDEN: User rita needs the role/);
    expect(await attempt(ruleOf(), { as: LIMITED })).toMatch(/^FORBIDDEN: User lin may see only/);
  });
});
