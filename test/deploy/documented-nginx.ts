import { readPages } from '../docs/pages.ts';
import { startNginx } from '../support/programs/nginx.ts';

/** The configurations of nginx on the page; it has one. */
const configurations = readPages()
  .filter(({ path }) => path === 'docs/how-to/deploy.md')
  .flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'nginx'))
  .map(({ text }) => text);

/** The configuration as on the page, and others, if it has more. */
export const [WRITTEN = '', ...OTHERS] = configurations;

/** Replaces texts in the configuration. Each must occur exactly once. */
function changed(changes: readonly (readonly [was: string, is: string])[]): string {
  let text = WRITTEN;
  for (const [was, is] of changes) {
    const parts = text.split(was);
    if (parts.length !== 2)
      throw new Error(`the page has not once, but ${parts.length - 1}×: ${was}`);
    text = parts.join(is);
  }
  return text;
}

/** Starts nginx as on the page, except for its address, certificate, upstream and log file. */
export const startProxy = (
  upstream: string,
  changes: readonly (readonly [string, string])[] = [],
  protocol: '' | ' http2' = '',
) =>
  startNginx(({ listen, folder }) =>
    changed([
      ['listen 443 ssl http2;', `listen ${listen}${protocol};`],
      ['  ssl_certificate /etc/ssl/noc.example.com.pem;\n', ''],
      ['  ssl_certificate_key /etc/ssl/private/noc.example.com.key;\n', ''],
      ['server 127.0.0.1:4000;', `server ${upstream};`],
      ['/var/log/nginx/countergraph.log', `${folder}/countergraph.log`],
      ...changes,
    ]),
  );
