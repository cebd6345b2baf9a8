import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { labelKey } from '../../support/lab/label-key.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;
const open: OpenStream[] = [];

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2)],
    lines: [
      { group: GROUP, key: 'k', ts: T0, values: { 0: 1 } },
      { group: guidOf(2), key: 'k', ts: T0, values: { 0: 1 } },
    ],
  });
  await lab.apply({ context: 'other', groups: [group(3)] });
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

afterAll(() => lab.close());

async function follow(query: string, headers = basic(ADA)): Promise<OpenStream> {
  const stream = await openStream(lab.url, query, { headers });
  open.push(stream);
  return stream;
}

const topper = (n: number, more = '') => `subscription { topper(
  context: "${CONTEXT}", counterGroup: "${guidOf(n)}", window: { preset: ALL_AVAILABLE } ${more}
) { total keys { key label metric } } }`;

let next = 1;
const count = async (n: number, value: number) => {
  next += 1;
  await lab.importSamples([
    { group: guidOf(n), key: 'k', ts: T0 + 60 * next, values: { 0: value } },
  ]);
};

type Topper = { topper: { total: number; keys: { label: string }[] } };

type Changed = { contextChanged: object };

describe('a subscription', () => {
  it('answers now, and after each commit that changes the answer', async () => {
    const stream = await follow(topper(1));
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(stream.headers['x-accel-buffering']).toBe('no');
    const { total } = (await stream.answer<Topper>()).topper;
    await count(1, 5);
    expect((await stream.answer<Topper>()).topper.total).toBe(total + 5);
    await labelKey(lab, GROUP, ['k', 'K']);
    expect((await stream.answer<Topper>()).topper.keys[0]?.label).toBe('K');
  });

  it('answers after each declaration that changes the context', async () => {
    const stream = await follow(
      `subscription { contextChanged(name: "${CONTEXT}") {
        pools { name status } probes alerts { name severity }
      } }`,
    );
    const expectNext = async (expected: object) =>
      expect((await stream.answer<Changed>()).contextChanged).toMatchObject(expected);
    const apply = (parts: object) => lab.apply({ context: CONTEXT, ...parts });
    const alert = { name: 'big', group: GROUP, when: { key_above: 1 } };
    await expectNext({ pools: [{ name: 'default' }], alerts: [] });
    await apply({ pools: [{ name: 'oper' }] });
    await expectNext({ pools: [{ name: 'oper', status: 'online' }] });
    await apply({ pools: [{ name: 'oper', status: 'full' }] });
    await expectNext({ pools: [{ name: 'oper', status: 'full' }] });
    await apply({ alerts: [alert] });
    await expectNext({ alerts: [{ name: 'big', severity: 'warning' }] });
    await apply({ alerts: [{ ...alert, severity: 'page' }] });
    await expectNext({ alerts: [{ name: 'big', severity: 'page' }] });
    await apply({ alerts: [{ name: 'big', remove: true }] });
    await expectNext({ alerts: [] });
    await apply({ probes: [{ id: 'p1' }] });
    await expectNext({ probes: ['p1'] });
  });

  it('sends nothing after a commit that leaves its answer as it is', async () => {
    const stream = await follow(topper(1));
    const before = (await stream.answer<Topper>()).topper.total;
    await count(2, 7);
    await count(1, 3);
    expect((await stream.answer<Topper>()).topper.total).toBe(before + 3);
    expect(stream.messages).toHaveLength(2);
  });
});
