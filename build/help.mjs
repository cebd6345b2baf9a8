// Renders the docs into the built page, whose folder is the argument: its help.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';
import { filesBelow, ROOT } from './keep-built.mjs';

/** What the page's help is made of, in this order; decision records are for developers. */
const FOLDERS = ['tutorial', 'how-to', 'explanation', 'reference'];

/** Adds the help to the built page in a folder. */
function writeHelp(page) {
  const { pages, pictures } = renderHelp();
  const text = `${JSON.stringify(pages)}\n`;
  const name = nameByContent('pages.json', text);
  const folder = join(page, 'help');
  mkdirSync(folder);
  for (const [picture, bytes] of pictures) writeFileSync(join(folder, picture), bytes);
  writeFileSync(join(folder, name), text);
  tellName(join(page, 'index.html'), name);
}

/** The page finds the help by its name, which depends on the content. */
function tellName(html, name) {
  const empty = 'name="countergraph-help" content=""';
  const text = readFileSync(html, 'utf8');
  if (!text.includes(empty)) throw new Error(`${html} has no place for the name of the help`);
  writeFileSync(html, text.replace(empty, empty.replace('""', `"${name}"`)));
}

/**
 * Returns the pages, cut into the sections that a search finds, and the pictures by the names that
 * the pages use for them.
 */
function renderHelp() {
  const paths = FOLDERS.flatMap((folder) => filesBelow(join(ROOT, 'docs', folder)))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(join(ROOT, 'docs/').length));
  const pictures = new Map();
  const pages = paths.map((path) => renderPage(path, paths, pictures));
  return { pages, pictures };
}

function renderPage(path, paths, pictures) {
  const slugger = new GithubSlugger();
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escaped(text),
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = linkTarget(href, path, paths);
        return target === null ? inner : `<a ${target}>${inner}</a>`;
      },
      image: ({ href, text }) => {
        const name = keepPicture(posix.join('docs', dirname(path), href), pictures);
        return `<img src="./help/${name}" alt="${escaped(text)}" loading="lazy">`;
      },
      // A table may be wider than the help, and then scrolls, for which it must take the focus.
      table(token) {
        const rows = token.rows.map((cells) => `<tr>${cellsOf(this, cells, 'td')}</tr>`);
        const head = `<thead><tr>${cellsOf(this, token.header, 'th')}</tr></thead>`;
        return `${SCROLLED}<table>${head}<tbody>${rows.join('')}</tbody></table></div>`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`,
    },
  });
  const sections = [];
  for (const token of marked.lexer(readFileSync(join(ROOT, 'docs', path), 'utf8'))) {
    if (token.type === 'heading' && token.depth <= 3) {
      const title = plainText(marked.parser([{ ...token, type: 'paragraph' }]));
      sections.push({ id: slugger.slug(title), depth: token.depth, title, tokens: [] });
    } else {
      sections.at(-1).tokens.push(token);
    }
  }
  return {
    path,
    title: sections[0].title,
    sections: sections.map(({ tokens, ...section }) => ({
      ...section,
      html: marked.parser(tokens),
    })),
  };
}

const SCROLLED = '<div class="help-table" tabindex="0" role="group" aria-label="Table">';

const cellsOf = ({ parser }, cells, tag) =>
  cells.map(({ tokens }) => `<${tag}>${parser.parseInline(tokens)}</${tag}>`).join('');

/** The attributes of a link; null for files that are not part of the help. */
function linkTarget(href, path, paths) {
  if (/^https?:/.test(href)) return `href="${escaped(href)}" target="_blank" rel="noopener"`;
  const [file, anchor = ''] = href.split('#');
  const target = file === '' ? path : posix.join(dirname(path), file);
  if (!paths.includes(target)) return null;
  return `href="#help=${target}${anchor && `:${anchor}`}"`;
}

function keepPicture(path, pictures) {
  const bytes = readFileSync(join(ROOT, path));
  const name = nameByContent(basename(path), bytes);
  pictures.set(name, bytes);
  return name;
}

/** Files that the page loads have other names when their content changes: they may be kept. */
function nameByContent(name, content) {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 8);
  const suffix = extname(name);
  return `${basename(name, suffix)}-${digest}${suffix}`;
}

const plainText = (html) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim();

const escaped = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const [page] = process.argv.slice(2);
writeHelp(page);
