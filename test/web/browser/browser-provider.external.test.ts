import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../support/programs/free-port.ts';
import { type SignInLab, startSignInLab } from '../../support/sign-in/sign-in-lab.ts';
import { violations } from './axe-violations.ts';
import { describeInBrowser } from './describe-in-browser.ts';

describeInBrowser('signing in at an identity provider in a browser', (openAt) => {
  let at: SignInLab;

  beforeAll(async () => {
    const port = await freePort();
    at = await startSignInLab({
      accounts: { '4711': { preferred_username: 'mika' } },
      publicUrl: `http://127.0.0.1:${port}`,
      // Another site, from where the browser sends no cookie that is for one site only.
      providerHost: 'localhost',
      service: { settings: { port, explorer: 'signed-in' } },
    });
  }, 120_000);

  afterAll(() => at?.close());

  it('takes a button and the forms of the provider, and leads back to the same page', async () => {
    const { page, shoot } = await openAt(`${at.lab.url}/?context=lab`);
    const button = page.getByRole('link', { name: 'Sign in with Example ID' });
    await button.waitFor();
    expect(await violations(page)).toEqual([]);
    await shoot('sign-in-provider');
    await button.click();
    await page.getByPlaceholder('Enter any login').fill('4711');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Sign out mika' }).waitFor();
    expect(page.url()).toContain('context=lab');
    await page.getByRole('button', { name: 'Sign out mika' }).click();
    await page.getByText('Do you want to sign-out from').waitFor();
    expect(page.url()).toContain(at.provider.issuer);
  });

  it('opens the explorer, and says on a page why it failed', async () => {
    const { page } = await openAt(`${at.lab.url}/graphql`);
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await page.getByPlaceholder('Enter any login').fill('4711');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('.graphiql-query-editor').waitFor();
    await page.goto(`${at.lab.url}/session/oidc/callback?code=a&state=b`);
    await page.getByRole('alert').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to sign in' }).click();
    await page.getByRole('button', { name: 'Sign out mika' }).waitFor();
  });
});
