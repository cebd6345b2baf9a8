import { useEffect, useRef, useState } from 'preact/hooks';
import { pageMeta } from '../../api/page-meta.ts';
import {
  formatHelp,
  HELP_KINDS,
  type HelpPage,
  type HelpPlace,
} from '../../data/help/help-pages.ts';
import { createHelpSearch, type HelpHit } from '../../data/help/help-search.ts';

type HelpPanelProps = {
  /** null: the list of pages. */
  readonly place: HelpPlace | null;
};

/** The docs: a search in them, their list, and the page that is read. */
export function HelpPanel({ place }: HelpPanelProps) {
  const [pages, setPages] = useState<readonly HelpPage[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [query, setQuery] = useState('');
  const search = useRef<((query: string) => readonly HelpHit[]) | null>(null);
  useEffect(() => {
    loadPages().then(
      (loaded) => {
        search.current = createHelpSearch(loaded, textOf);
        setPages(loaded);
      },
      (error: unknown) => setFault(String(error)),
    );
  }, []);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), [pages]);
  // A link that was followed ends the search.
  useEffect(() => setQuery(''), [place]);
  if (fault !== null) return <p role="alert">The help could not be loaded: {fault}</p>;
  if (!pages) return <p role="status">Loading …</p>;
  const page = pages.find(({ path }) => path === place?.path) ?? null;
  return (
    <div class="help">
      <div class="help-search">
        <input
          ref={field}
          type="search"
          aria-label="Search the help"
          placeholder="Search the help"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        {page && (
          <a class="button" href={linkTo(null)}>
            All pages
          </a>
        )}
      </div>
      {query.trim() !== '' ? (
        <Hits hits={search.current?.(query) ?? []} query={query} />
      ) : page ? (
        <Article page={page} section={place?.section ?? null} />
      ) : (
        <PageList pages={pages} />
      )}
    </div>
  );
}

function Hits({ hits, query }: { readonly hits: readonly HelpHit[]; readonly query: string }) {
  return (
    <div class="help-body">
      <p class="hint" role="status">
        {hits.length === 0
          ? `Nothing in the help has all the words of “${query.trim()}”. Try fewer of them.`
          : `${hits.length} ${hits.length === 1 ? 'section' : 'sections'}, the best first.`}
      </p>
      <ul class="help-hits">
        {hits.map(({ place, page, section, excerpt }) => (
          <li key={formatHelp(place)}>
            <a href={linkTo(place)}>{page === section ? page : `${section} – ${page}`}</a>
            <p>
              {excerpt.map(({ text, isFound }, i) =>
                isFound ? <mark key={i}>{text}</mark> : text,
              )}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PageList({ pages }: { readonly pages: readonly HelpPage[] }) {
  return (
    <div class="help-body">
      {Object.entries(HELP_KINDS).map(([folder, name]) => (
        <section key={folder}>
          <h3>{name}</h3>
          <ul>
            {pages
              .filter(({ path }) => path.startsWith(`${folder}/`))
              .map(({ path, title }) => (
                <li key={path}>
                  <a href={linkTo({ path, section: null })}>{title}</a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

type ArticleProps = { readonly page: HelpPage; readonly section: string | null };

function Article({ page, section }: ArticleProps) {
  const body = useRef<HTMLElement>(null);
  useEffect(() => {
    const target = [...(body.current?.querySelectorAll('[data-section]') ?? [])].find(
      (each) => each.getAttribute('data-section') === section,
    );
    if (target) target.scrollIntoView({ block: 'start' });
    else if (body.current) body.current.scrollTop = 0;
  }, [page, section]);
  return (
    <article
      ref={body}
      class="help-body"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
      tabIndex={0}
      aria-label={page.title}
    >
      {page.sections.map(({ id, depth, title, html }) => {
        const Heading = depth <= 1 ? 'h3' : depth === 2 ? 'h4' : 'h5';
        return (
          <section key={id} data-section={id}>
            <Heading>{title}</Heading>
            <div dangerouslySetInnerHTML={{ __html: withPage(html) }} />
          </section>
        );
      })}
    </article>
  );
}

/**
 * Returns a link to the help over this page. A link of a fragment alone means to readers of pages
 * that it leads to a part of this one, and there is none.
 */
const linkTo = (place: HelpPlace | null): string => `${pageAddress()}${formatHelp(place)}`;

const pageAddress = (): string => `${location.pathname}${location.search}`;

/** Makes links within the docs such links, too. */
const withPage = (html: string): string =>
  html.replaceAll('href="#', () => `href="${pageAddress().replaceAll('&', '&amp;')}#`);

async function loadPages(): Promise<readonly HelpPage[]> {
  const name = pageMeta('help');
  if (name === '') throw new Error('this page was built without it');
  const response = await fetch(`./help/${name}`);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

/** The text of rendered HTML, with spaces between the cells of tables. */
function textOf(html: string): string {
  const spaced = html.replaceAll(/<\/(?:td|th|p|li|pre|h\d)>/g, ' $&');
  const { body } = new DOMParser().parseFromString(spaced, 'text/html');
  return (body.textContent ?? '').replaceAll(/\s+/g, ' ');
}
