import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeReady } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { HOSTS, host, labelsOf, sendKeys, startEditingLab } from '../support/lab/editing-lab.ts';
import { CONTEXT, startTestService, type TestService } from '../support/lab/service.ts';
import { pauseServer, resumeServer } from '../support/programs/server-processes.ts';

let primary: Primary;
let standby: Standby;
let lab: TestService;

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  standby = await startStandby(primary);
  lab = await startEditingLab({
    databaseUrl: primary.url,
    declaration: {
      nodes: [
        { name: 'a', role: 'replica', url: standby.url, share: true },
        { name: 'dr0', role: 'dr', url: standby.url },
      ],
    },
  });
  await standby.waitUntilCaughtUp();
}, 300_000);

afterAll(async () => {
  if (standby) resumeServer(standby);
  await lab?.close();
  await standby?.remove();
  await primary?.remove();
});

const update = async (label: string, by = lab) => {
  const { data, errors } = await sendKeys(by, [{ key: host(1), label }]);
  return { labels: data.updateKeys?.map((key) => key['label']), errors };
};

const codes = (errors: Awaited<ReturnType<typeof update>>['errors']) =>
  errors?.map(({ message, extensions }) => [extensions.code, message]);

describe('with a shared standby', () => {
  it('a change is in its own answer and in all later ones, even if the standby lags', async () => {
    // The standby answers while it has caught up.
    const names = `{ context(name: "${CONTEXT}") { id nodeName } }`;
    await lab.data(names);
    pauseServer(standby);
    try {
      expect(await update('lagging')).toEqual({ labels: ['lagging'], errors: undefined });
      expect(await labelsOf(lab, [host(1)])).toEqual(['lagging']);
    } finally {
      resumeServer(standby);
    }
    await standby.waitUntilCaughtUp();
    expect(await labelsOf(lab, [host(1)])).toEqual(['lagging']);
  });

  it('the other fields of a mutation are read from the primary too', async () => {
    for (let time = 0; time < 5; time += 1) {
      type Answered = { updateKeys: { counterGroup: { key: { label: string } } }[] };
      const { updateKeys } = await lab.data<Answered>(`mutation { updateKeys(
        context: "${CONTEXT}", counterGroup: "${HOSTS}"
        keys: [{ key: "${host(1)}", label: "n${time}" }]
      ) { counterGroup { key(key: "${host(1)}") { label } } } }`);
      expect(updateKeys[0]?.counterGroup.key.label).toBe(`n${time}`);
    }
  });
});

describe('when the primary accepts no changes', () => {
  it('a server on a standby says that it is read-only', async () => {
    const misled = await startTestService({ databaseUrl: standby.url });
    try {
      const { labels, errors } = await update('lost', misled);
      expect(labels).toBeUndefined();
      expect(codes(errors)).toEqual([
        ['BACKEND', 'Database is read-only, its primary accepts changes'],
      ]);
    } finally {
      await misled.close();
    }
  });

  it('being unreachable, the error is BACKEND, and the other node still answers', async () => {
    await standby.waitUntilCaughtUp();
    await lab.data('{ viewer { username } }');
    await primary.stop();
    const { labels, errors } = await update('lost');
    expect(labels).toBeUndefined();
    expect(codes(errors)).toEqual([['BACKEND', 'Database is not reachable']]);
    const { context } = await lab.data<{ context: { nodeName: string } }>(
      `{ context(name: "${CONTEXT}", destinationNode: "dr0") { id nodeName } }`,
    );
    expect(context.nodeName).toBe('dr0');
  });
});
