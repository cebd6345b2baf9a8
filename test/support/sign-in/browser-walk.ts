import { type HttpAnswer, httpCall } from '../http/http-call.ts';

export type Page = HttpAnswer & { readonly url: string };

/** A browser without scripts: it keeps cookies, follows redirects and sends forms. */
export class BrowserWalk {
  readonly #servers: Readonly<Record<string, string>>;
  readonly #cookies = new Map<string, Map<string, string>>();

  /** servers: where an origin really is, as behind a proxy. */
  constructor(servers: Readonly<Record<string, string>> = {}) {
    this.#servers = servers;
  }

  /** Returns the value of a cookie that an origin has set. */
  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  setCookie(origin: string, name: string, value: string): void {
    this.#jar(origin).set(name, value);
  }

  /** Returns the `cookie` header for an origin. */
  cookies(origin: string): string {
    return [...this.#jar(origin)].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Opens a page, and follows redirects until there is one that `isLast`. */
  async open(url: string, isLast: (url: string) => boolean = () => false): Promise<Page> {
    return this.#follow(await this.#send(url), isLast);
  }

  /** Sends the only form of a page, and follows redirects as `open` does. */
  async submit(
    page: Page,
    fields: Readonly<Record<string, string>>,
    isLast: (url: string) => boolean = () => false,
  ): Promise<Page> {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const hidden = [...page.text.matchAll(/<input type="hidden" name="(\w+)" value="(\w+)"/g)];
    const body = new URLSearchParams({
      ...Object.fromEntries(hidden.map(([, name, value]) => [name ?? '', value ?? ''])),
      ...fields,
    });
    const sent = await this.#send(new URL(action, page.url).href, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
    return this.#follow(sent, isLast);
  }

  async #follow(page: Page, isLast: (url: string) => boolean): Promise<Page> {
    const { location } = page.headers;
    if (page.status < 300 || page.status > 399 || location === undefined) return page;
    const next = new URL(location, page.url).href;
    if (isLast(next)) return { ...page, url: next };
    return this.#follow(await this.#send(next), isLast);
  }

  async #send(url: string, call: Parameters<typeof httpCall>[1] = {}): Promise<Page> {
    const { origin, href } = new URL(url);
    const server = this.#servers[origin] ?? origin;
    const headers = { ...call.headers, cookie: this.cookies(origin) };
    const answer = await httpCall(server + href.slice(origin.length), { ...call, headers });
    for (const line of answer.headers['set-cookie'] ?? []) this.#keep(origin, line);
    return { ...answer, url };
  }

  #keep(origin: string, line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const isOver = /max-age=0\b|expires=thu, 01 jan 1970/i.test(line);
    if (isOver || value === '') this.#jar(origin).delete(name);
    else this.#jar(origin).set(name, value);
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}
