import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../server/start-server.ts';
import { group, startLab } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { launch } from './explorer-page.ts';
import { startExplorerServer } from './explorer-server.ts';

let lab: TestService;
let server: RunningServer;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  server = await startExplorerServer(
    lab.databaseUrl,
    { credentials: null },
    { COUNTERGRAPH_EXPLORER: 'signed-in', COUNTERGRAPH_INTROSPECTION: 'signed-in' },
  );
});

afterAll(async () => {
  await server?.close();
  await lab?.close();
});

// A page is 5 MB of script, and the machine may be busy with other tests.
describe('COUNTERGRAPH_EXPLORER=signed-in in a browser', { timeout: 90_000 }, () => {
  it('whoever signs in gets the explorer, after a reload too, and the token is kept nowhere', async () => {
    const context = await (await launch()).newContext();
    try {
      const tab = await context.newPage();
      const complaints: string[] = [];
      tab.on('pageerror', (error) => complaints.push(error.message));
      await tab.goto(`${server.url}/graphql`);
      const signIn = async (token: string) => {
        await tab.getByLabel('User').fill(ADA.username);
        await tab.getByLabel('Token').fill(token);
        await tab.getByRole('button', { name: 'Sign in' }).click();
      };
      await signIn('other');
      await tab.getByText('The user or token is wrong.').waitFor();
      await signIn(ADA.token);
      const play = tab.getByRole('button', { name: 'Execute query' });
      await play.waitFor();
      await tab.reload();
      await play.waitFor();
      const textOf = (name: string) =>
        `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(${JSON.stringify(name)}))`;
      await expect.poll(() => tab.evaluate(`typeof ${textOf('response.json')}`)).toBe('object');
      expect(await tab.evaluate(`${textOf('request-headers.json')}.getValue()`)).toBe('{}');
      await tab.evaluate(`${textOf('operation.graphql')}.setValue('{ viewer { username } }')`);
      await play.click();
      await expect
        .poll(() => tab.evaluate(`${textOf('response.json')}.getValue()`))
        .toContain('"username": "ada"');
      expect(await tab.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain(
        ADA.token,
      );
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
