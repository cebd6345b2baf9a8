import { useEffect, useMemo } from 'preact/hooks';
import { type Address, formatAddress } from '../address/address.ts';
import { type Navigate, useAddress } from '../address/use-address.ts';
import type { Session } from '../api/session.ts';
import { type ContextChoice, completed, type GroupChoice, groupOf } from '../data/choices.ts';
import { type Moments, momentsIn, viewerZone } from '../format/moment.ts';
import { Notice } from '../parts/notice.tsx';
import { type ThemeState, useTheme } from '../parts/theme.ts';
import { Header } from './header.tsx';
import { StorageView } from './storage-view.tsx';
import { TopView } from './top-view.tsx';

export const SIGNED_OUT = 'The server no longer takes your token. Sign in again.';

type WorkspaceProps = {
  readonly session: Session;
  readonly contexts: readonly ContextChoice[];
  readonly onContexts: (contexts: readonly ContextChoice[]) => void;
  readonly onSignOut: (why: string | null) => void;
};

/** What every view is given. */
export type ViewProps = {
  readonly session: Session;
  readonly address: Address;
  readonly navigate: Navigate;
  /** What is known of the address's context and group; null: not yet, or nothing. */
  readonly choice: ContextChoice | null;
  readonly group: GroupChoice | null;
  readonly theme: ThemeState;
  readonly moments: Moments;
  /** An answer tells what there is to choose from now. */
  readonly onChoice: (names: readonly string[], choice: ContextChoice | null) => void;
  readonly onSignOut: (why: string | null) => void;
};

export function Workspace({ session, contexts, onContexts, onSignOut }: WorkspaceProps) {
  const [given, navigate] = useAddress();
  const theme = useTheme();
  const zone = useMemo(viewerZone, []);
  const address = completed(given, contexts, zone);
  const text = formatAddress(address);
  useEffect(() => {
    // A link to this says all of it.
    if (text !== formatAddress(given)) navigate.amend(address);
  }, [text, formatAddress(given)]);
  const moments = useMemo(() => momentsIn(address.zone ?? zone), [address.zone, zone]);
  const choice = contexts.find(({ name }) => name === address.context) ?? null;

  const onChoice = (names: readonly string[], newest: ContextChoice | null) => {
    const others = contexts.filter(({ name }) => names.includes(name) && name !== newest?.name);
    const next = [...others, ...(newest ? [newest] : [])].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    if (JSON.stringify(next) !== JSON.stringify(contexts)) onContexts(next);
  };
  const view: ViewProps = {
    ...{ session, address, navigate, choice, theme, moments, onChoice, onSignOut },
    group: groupOf(choice, address.group),
  };
  return (
    <>
      <a class="skip" href="#main">
        Skip to the data
      </a>
      <Header {...view} contexts={contexts} />
      <main id="main" tabIndex={-1}>
        {address.context === null ? (
          <NoContext username={session.username} />
        ) : address.view === 'storage' ? (
          <StorageView {...view} />
        ) : (
          <TopView {...view} />
        )}
      </main>
    </>
  );
}

function NoContext({ username }: { readonly username: string }) {
  return (
    <Notice title="There is nothing yet that you may see">
      <p>
        No context is granted to <strong>{username}</strong>. Who runs the server can do that with{' '}
        <code>countergraph user add {username} --context NAME</code>; sign in again afterwards.
      </p>
    </Notice>
  );
}
