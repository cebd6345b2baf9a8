import { vi } from 'vitest';
import type { OidcSettings } from '../../../server/settings/sign-in-settings.ts';
import { group, startLab } from '../lab/lab.ts';
import type { TestServiceOptions } from '../lab/service.ts';
import { BrowserWalk, type Page } from './browser-walk.ts';
import { type Account, CLIENT, startIdentityProvider } from './identity-provider.ts';

/** As behind a proxy that ends TLS. */
export const PUBLIC_URL = 'https://counters.example.com';

export const CALLBACK = `${PUBLIC_URL}/session/oidc/callback`;

export const OWN = { 'sec-fetch-site': 'same-origin' };

type SignInLabOptions = {
  /** The claims of each person, by `sub`. */
  readonly accounts: Readonly<Record<string, Account>>;
  readonly oidc?: Partial<OidcSettings>;
  readonly service?: TestServiceOptions;
  /** The address of the dashboard in a browser. */
  readonly publicUrl?: string;
  readonly providerHost?: string;
};

export type SignInLab = Awaited<ReturnType<typeof startSignInLab>>;

/** A service, and an identity provider at which its users sign in. */
export async function startSignInLab({
  accounts,
  oidc,
  service,
  publicUrl = PUBLIC_URL,
  providerHost: host = '127.0.0.1',
}: SignInLabOptions) {
  // The provider warns that it is not meant for production like this.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  const provider = await startIdentityProvider({ publicUrl, accounts, host });
  const settings: OidcSettings = {
    issuer: new URL(provider.issuer).href,
    clientId: CLIENT.id,
    clientSecret: { text: CLIENT.secret },
    userClaim: 'preferred_username',
    groupsClaim: 'groups',
    name: 'Example ID',
    ...oidc,
  };
  const lab = await startLab({
    groups: [group(1)],
    ...service,
    settings: { publicUrl, oidc: settings, ...service?.settings },
  });
  const newBrowser = () => new BrowserWalk({ [PUBLIC_URL]: lab.url });
  const headersOf = (browser: BrowserWalk) => ({ ...OWN, cookie: browser.cookies(PUBLIC_URL) });
  return {
    lab,
    provider,
    issuer: settings.issuer,
    newBrowser,
    /** The headers of a request that a page in this browser sends. */
    headersOf,

    /** Signs in as somebody, through the forms of the provider. */
    async signIn(
      sub: string,
      browser = newBrowser(),
      isLast: (url: string) => boolean = () => false,
    ): Promise<Page> {
      const login = await browser.open(`${PUBLIC_URL}/session/oidc`);
      const consent = await browser.submit(login, { login: sub, password: 'any' });
      return browser.submit(consent, {}, isLast);
    },

    /** Begins to sign in. Returns what the provider is asked. */
    async begin(browser: BrowserWalk): Promise<URLSearchParams> {
      const page = await browser.open(`${PUBLIC_URL}/session/oidc`, () => true);
      return new URL(page.url).searchParams;
    },

    /** Comes back from the provider with a code. */
    comeBack(browser: BrowserWalk, parameters: Record<string, string>): Promise<Page> {
      const query = new URLSearchParams({ code: 'a code', iss: provider.issuer, ...parameters });
      return browser.open(`${CALLBACK}?${query}`);
    },

    /** Returns what `GET /session` tells a page in this browser. */
    async whoIs(browser: BrowserWalk): Promise<Record<string, unknown>> {
      const { text } = await lab.call('/session', { headers: headersOf(browser) });
      return JSON.parse(text);
    },

    async close() {
      await lab.close();
      await provider.close();
    },
  };
}
