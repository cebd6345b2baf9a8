import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTS, host, startEditingLab } from '../support/lab/editing-lab.ts';
import { T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import {
  endAll,
  type ServingProcesses,
  serveByProcesses,
} from '../support/programs/serving-processes.ts';

let program: BuiltProgram;
let lab: TestService;
let serving: ServingProcesses;

beforeAll(async () => {
  program = await buildProgram();
  lab = await startEditingLab();
  serving = await serveByProcesses(program, lab.databaseUrl, { env: { LOG_LEVEL: 'warn' } });
}, 300_000);

afterAll(async () => {
  if (serving) endAll([serving.child]);
  await lab?.close();
  await program?.remove();
});

async function ask<Data>(query: string): Promise<Data> {
  const headers = { 'content-type': 'application/json', ...basic(ADA) };
  const body = JSON.stringify({ query });
  // Each request has its own connection, so that any of the processes may answer.
  const { text } = await serving.call('/graphql', { method: 'POST', headers, body });
  return (JSON.parse(text) as { data: Data }).data;
}

const TOPPER = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") {
  topper(window: { interval: { from: ${T0}, to: ${T0 + 300} } }) { keys { label } } } } }`;

type Topped = { context: { counterGroup: { topper: { keys: { label: string }[] } } } };

describe('serve --processes', () => {
  it('shows a change in every process from then on, although each caches answers', async () => {
    for (let time = 0; time < 5; time += 1) {
      await Promise.all(Array.from({ length: 12 }, () => ask<Topped>(TOPPER)));
      const label = `label ${time}`;
      const keys = `[{ key: "${host(1)}", label: "${label}" }]`;
      const changed = await ask(`mutation {
        updateKeys(context: "${CONTEXT}", counterGroup: "${HOSTS}", keys: ${keys}) { label } }`);
      expect(changed).toEqual({ updateKeys: [{ label }] });
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask<Topped>(TOPPER)));
      const labels = answers.map(({ context }) => context.counterGroup.topper.keys[0]?.label);
      expect(new Set(labels)).toEqual(new Set([label]));
    }
  });

  it('logs each change, in whichever process, even if LOG_LEVEL is warn', () => {
    const told = serving.told('a change was made');
    expect(told).toHaveLength(5);
    expect(told[0]).toMatchObject({ user: 'ada', keys: [{ key: host(1), fields: ['label'] }] });
  });
});
