import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WrittenLimit } from '../../../access/grant-limits.ts';
import { addUser } from '../../../access/users.ts';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const HOSTS = guidOf(1);
const NEAR: Credentials = { username: 'near', token: 'near-token' };
const FAR: Credentials = { username: 'far', token: 'far-token' };

let lab: TestService;
let open: OpenStream[] = [];

const reading = (key: string, value: number, at = 0) => ({
  group: HOSTS,
  key,
  ts: T0 + at,
  values: { 0: value },
});

beforeEach(async () => {
  lab = await startLab({
    groups: [group(1, { key_kind: 'ip' })],
    lines: [reading('0A.01.00.01', 1), reading('0A.02.00.01', 20)],
  });
  for (const user of [NEAR, FAR]) await lab.addUser(user, []);
  await limit(NEAR, ['10.1.0.0/16']);
  await limit(FAR, ['10.2.0.0/16']);
});

afterEach(async () => {
  for (const stream of open) stream.close();
  open = [];
  await lab.close();
});

const limit = ({ username: name }: Credentials, networks: WrittenLimit['networks']) =>
  lab.write((to) =>
    addUser(to, { name, contexts: [CONTEXT], limit: { networks, probes: [], groups: [] } }),
  );

const TOPPER = `subscription { it: topper(context: "${CONTEXT}", counterGroup: "${HOSTS}",
  window: { preset: ALL_AVAILABLE }) { total } }`;

async function follow(credentials: Credentials): Promise<OpenStream> {
  const stream = await openStream(lab.url, TOPPER, { headers: basic(credentials) });
  open.push(stream);
  return stream;
}

const totalOf = async (stream: OpenStream) =>
  (await stream.answer<{ it: { total: number } }>()).it.total;

describe('streams of the same topper', () => {
  it('tell each caller of what that one may see', async () => {
    const streams = await Promise.all([NEAR, FAR, ADA].map(follow));
    expect(await Promise.all(streams.map(totalOf))).toEqual([1, 20, 21]);
    await lab.importSamples([reading('0A.01.00.01', 2, 60), reading('0A.02.00.02', 30, 60)]);
    expect(await Promise.all(streams.map(totalOf))).toEqual([3, 50, 53]);
  });

  it('are completed when the caller may see more or less, and not for the others', async () => {
    const [near, far] = await Promise.all([NEAR, FAR].map(follow));
    if (!near || !far) throw new Error('both follow');
    expect([await totalOf(near), await totalOf(far)]).toEqual([1, 20]);
    await limit(NEAR, ['10.1.0.0/24', '10.2.0.0/24']);
    await near.ended;
    expect(near.messages.slice(1)).toEqual([{ event: 'complete', data: {} }]);
    expect(await totalOf(await follow(NEAR))).toBe(21);
    await lab.importSamples([reading('0A.02.00.01', 5, 60)]);
    expect(await totalOf(far)).toBe(25);
  });

  it('get no answer of what the caller may see no longer', async () => {
    const stream = await follow(NEAR);
    expect(await totalOf(stream)).toBe(1);
    await limit(NEAR, ['10.9.0.0/16']);
    await lab.importSamples([reading('0A.01.00.01', 7, 60)]);
    await stream.ended;
    expect(stream.messages.slice(1)).toEqual([{ event: 'complete', data: {} }]);
  });
});
