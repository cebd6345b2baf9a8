import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatAddress, type View } from '../address/address.ts';
import { useAddress } from '../address/use-address.ts';
import { OVERVIEW_WINDOW } from '../address/window-choice.ts';
import type { Session } from '../api/session.ts';
import { type ContextChoice, completed, groupOf, withSpans } from '../data/choices.ts';
import { hasKeys } from '../data/understand-filter.ts';
import { isolated } from '../format/isolated.ts';
import { momentsIn, viewerZone } from '../format/moment.ts';
import { Command } from '../parts/command.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTheme } from '../parts/theme.ts';
import { AddressNotice } from './address-notice.tsx';
import { useAlerts } from './alerts/use-alerts.ts';
import { FilterBar } from './controls/filter-bar.tsx';
import { Header } from './header/header.tsx';
import { Help } from './help/help.tsx';
import { lazily } from './lazily.tsx';
import { OverviewView } from './overview/overview-view.tsx';
import { TopView } from './top/top-view.tsx';
import { OF_NO_GROUP, type ViewProps } from './view-props.ts';

const AddView = lazily(async () => (await import('./add/add-view.tsx')).AddView);
const AlertsView = lazily(async () => (await import('./alerts/alerts-view.tsx')).AlertsView);
const StorageView = lazily(async () => (await import('./storage/storage-view.tsx')).StorageView);
const TrendView = lazily(async () => (await import('./trend/trend-view.tsx')).TrendView);
const UsersView = lazily(async () => (await import('./users/users-view.tsx')).UsersView);

type WorkspaceProps = {
  readonly session: Session;
  readonly contexts: readonly ContextChoice[];
  readonly onContexts: (contexts: readonly ContextChoice[]) => void;
  readonly onSignOut: (why: string | null) => void;
};

export function Workspace({ session, contexts, onContexts, onSignOut }: WorkspaceProps) {
  const [read, navigate] = useAddress();
  const given = read.address;
  const [granted, setGranted] = useState<readonly string[] | null>(null);
  const theme = useTheme();
  const zone = useMemo(viewerZone, []);
  const address = completed(given, contexts, zone);
  const text = formatAddress(address);
  useEffect(() => {
    // Makes the address complete, so that a link to it shows the same page.
    if (text !== formatAddress(given)) navigate.amend(address);
  }, [text, formatAddress(given)]);
  const moments = useMemo(() => momentsIn(address.zone ?? zone), [address.zone, zone]);
  const choice = contexts.find(({ name }) => name === address.context) ?? null;

  const shown = groupOf(choice, address.group);
  const place = shown && isolated(shown.name);
  const view = {
    overview: 'Overview',
    top: place ?? 'Top keys',
    flows: place ? `Flows: ${place}` : 'Flows',
    trend: place ? `Trend of ${place}` : 'Trend',
    alerts: 'Alerts',
    storage: 'Storage',
    add: 'Add data',
    users: 'Users',
  }[address.view];
  const title = [view, address.context, 'countergraph'].filter(Boolean).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);

  const onChoice: ViewProps['onChoice'] = (names, answered, learned) => {
    const known = contexts.find(({ name }) => name === answered?.name) ?? null;
    const newest = answered && withSpans(answered, known, learned);
    const others = contexts.filter(({ name }) => names.includes(name) && name !== newest?.name);
    const next = [...others, ...(newest ? [newest] : [])].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    if (JSON.stringify(next) !== JSON.stringify(contexts)) onContexts(next);
    if (JSON.stringify(names) !== JSON.stringify(granted)) setGranted(names);
  };
  const props: ViewProps = {
    session,
    address,
    navigate,
    choice,
    theme,
    moments,
    onChoice,
    onSignOut,
    alerts: useAlerts({ session, address, onSignOut }),
    group: groupOf(choice, address.group),
  };
  const toContext = useOtherContext(props, contexts);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the data
      </a>
      <Header
        {...props}
        contexts={granted ?? contexts.map(({ name }) => name)}
        onContext={toContext.go}
      />
      <main id="main" tabIndex={-1}>
        {/* Paper has no header. */}
        <p class="printed-head">{title}</p>
        <AddressNotice {...read} />
        {toContext.said !== null && (
          <p class="hint" role="status">
            {toContext.said}
          </p>
        )}
        {!hasKeys(address) && choice && (
          <div class="search-bar">
            <FilterBar {...props} />
          </div>
        )}
        {address.view === 'users' ? (
          <UsersView {...props} contexts={contexts} />
        ) : address.view === 'add' ? (
          <AddView {...props} />
        ) : address.context === null ? (
          <NoContext {...props} />
        ) : (
          viewOf(address.view, props)
        )}
      </main>
      <Help view={address.view} />
    </>
  );
}

/** The parts of an address that mean something else, or nothing, in another context. */
const ELSEWHERE = {
  ...OF_NO_GROUP,
  view: 'overview',
  probe: null,
  node: null,
  fromDr: false,
} as const;

/** Leads to another context: at the same time if that has data then, or else at its newest. */
function useOtherContext(
  { address, navigate, moments }: ViewProps,
  contexts: readonly ContextChoice[],
) {
  const [moved, setMoved] = useState<{ readonly to: string; readonly said: string } | null>(null);
  const go = (context: string) => {
    const { window } = address;
    const stored = contexts.find(({ name }) => name === context)?.totalWindow;
    const isEmpty =
      window.kind === 'interval' &&
      stored !== null &&
      stored !== undefined &&
      (window.from >= stored.to || window.to <= stored.from);
    const target = { ...ELSEWHERE, context, ...(isEmpty && { window: OVERVIEW_WINDOW }) };
    const said = isEmpty
      ? `Nothing of ${isolated(context)} is stored for ${moments.range(window.from, window.to)}: its newest data are shown.`
      : null;
    setMoved(said === null ? null : { to: navigate.link(target), said });
    navigate.go(target);
  };
  return { go, said: moved?.to === navigate.link({}) ? moved.said : null };
}

function viewOf(view: Exclude<View, 'users' | 'add'>, props: ViewProps) {
  switch (view) {
    case 'overview':
      return <OverviewView {...props} />;
    case 'top':
    case 'flows':
      return <TopView {...props} />;
    case 'trend':
      return <TrendView {...props} />;
    case 'alerts':
      return <AlertsView {...props} />;
    case 'storage':
      return <StorageView {...props} />;
    default:
      return view satisfies never;
  }
}

function NoContext(props: ViewProps) {
  const { username } = props.session;
  // Whoever may create contexts begins with that.
  if (props.alerts.mayAdd) return <AddView {...props} />;
  return (
    <Notice isView title="You do not have access to any context yet">
      <p>
        No context is granted to <strong>{username}</strong>. Ask the server's operator to grant one
        with <Command>user add {username} --context NAME</Command>, then reload the page.
      </p>
    </Notice>
  );
}
