import { useEffect, useState } from 'preact/hooks';
import type { View } from '../../address/address.ts';
import { formatHelp, type HelpPlace, parseHelp } from '../../data/help/help-pages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';

/** The panel is loaded when it is first opened: most visits do without it. */
const loadPanel = () => import('./help-panel.tsx');

type Panel = Awaited<ReturnType<typeof loadPanel>>['HelpPanel'];

/** A link that opens the help, where it explains the view. */
export function HelpLink({ view }: { readonly view: View }) {
  return (
    <a
      class="button is-icon"
      href={formatHelp(HELP_OF[view])}
      title="Help (press ?)"
      aria-label="Help"
      aria-keyshortcuts="?"
    >
      <Icon name="help" />
    </a>
  );
}

/** The help, as long as the address has its fragment. */
export function Help({ view }: { readonly view: View }) {
  const [place, setPlace] = useState(() => parseHelp(location.hash));
  const [panel, setPanel] = useState<{ readonly Panel: Panel } | null>(null);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const follow = () => setPlace(parseHelp(location.hash));
    const open = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      location.hash = formatHelp(HELP_OF[view]);
    };
    addEventListener('hashchange', follow);
    addEventListener('popstate', follow);
    addEventListener('keydown', open);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener('popstate', follow);
      removeEventListener('keydown', open);
    };
  }, [view]);
  const isOpen = place !== undefined;
  useEffect(() => {
    if (!isOpen || panel) return;
    setMissing(false);
    loadPanel().then(
      ({ HelpPanel }) => setPanel({ Panel: HelpPanel }),
      // The server was updated since this page was loaded, or is away.
      () => setMissing(true),
    );
  }, [isOpen]);
  if (place === undefined) return null;
  const close = () => {
    history.replaceState(null, '', `${location.pathname}${location.search}`);
    setPlace(undefined);
  };
  return (
    <Dialog title="Help" class="is-help" onClose={close}>
      {panel ? (
        <panel.Panel place={place} />
      ) : (
        <p class="hint" role="status">
          {isMissing ? 'The help could not be loaded. Reload the page.' : 'Loading …'}
        </p>
      )}
      <button type="button" class="button help-close" onClick={close}>
        Close
      </button>
    </Dialog>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select') !== null;

const USE = 'how-to/use-the-dashboard.md';

/** Where the help explains each view. */
const HELP_OF: Readonly<Record<View, HelpPlace>> = {
  overview: { path: USE, section: 'overview' },
  top: { path: USE, section: 'look' },
  flows: { path: USE, section: 'flows' },
  trend: { path: USE, section: 'trends' },
  alerts: { path: USE, section: 'alerts' },
  storage: { path: 'how-to/keep-storage.md', section: null },
  add: { path: USE, section: 'add-data' },
  users: { path: USE, section: 'users' },
};
