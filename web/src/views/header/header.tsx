import type { View } from '../../address/address.ts';
import { Choice } from '../../parts/choice.tsx';
import { IconButton } from '../../parts/icon.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { AlertsTab } from '../alerts/alerts-tab.tsx';
import { HelpLink } from '../help/help.tsx';
import { SavedViewsMenu } from '../saved/saved-views-menu.tsx';
import { IN_NO_VIEW, OF_NO_GROUP, type ViewProps } from '../view-props.ts';
import { Mark } from './sign-in.tsx';
import { ThemeButton } from './theme-button.tsx';
import { UnitsMenu } from './units-menu.tsx';

type HeaderProps = ViewProps & {
  /** The names of the contexts that the user may read. */
  readonly contexts: readonly string[];
  readonly onContext: (name: string) => void;
};

const VIEWS: readonly (readonly [View, string])[] = [
  ['overview', 'Overview'],
  ['top', 'Top keys'],
  ['flows', 'Flows'],
  ['trend', 'Trend'],
];

/** The header: views, context, units, theme, and sign-out. */
export function Header(props: HeaderProps) {
  const { address, navigate, alerts, contexts, theme, onContext, onSignOut, session } = props;
  // An unknown context is listed too: the answer says what is wrong with it.
  const shown = address.context && !contexts.includes(address.context) ? [address.context] : [];
  // A trend shows keys: hidden networks mean nothing in it.
  const targetOf = (view: View) => ({
    ...(view === 'overview' ? OF_NO_GROUP : IN_NO_VIEW),
    view,
    ...(view === 'trend' && address.prefix && { prefix: null, hidden: [] }),
  });
  const tab = (view: View, label: string) => (
    <a
      key={view}
      class="tab"
      href={navigate.link(targetOf(view))}
      aria-current={address.view === view ? 'page' : undefined}
      onClick={onPlainClick(() => navigate.go(targetOf(view)))}
    >
      {label}
    </a>
  );
  return (
    <header class="header">
      <p class="brand">
        <Mark />
        <span class="brand-name">countergraph</span>
      </p>
      <nav aria-label="Views">
        {VIEWS.map(([view, label]) => tab(view, label))}
        <AlertsTab {...props} />
        {tab('storage', 'Storage')}
        {alerts.mayAdd && tab('add', 'Add data')}
        {alerts.isAdmin && tab('users', 'Users')}
      </nav>
      <div class="header-tools">
        <Choice
          label="Context"
          word="context"
          class="is-inline header-context"
          value={address.context ?? ''}
          options={[...contexts, ...shown].map((name) => ({ value: name, label: name }))}
          onChoose={onContext}
        />
        <div class="header-end">
          <HelpLink view={address.view} />
          {address.context !== null && <SavedViewsMenu {...props} context={address.context} />}
          <UnitsMenu {...props} />
          <ThemeButton theme={theme} />
          <IconButton
            icon="leave"
            name={`Sign out ${session.shownName ?? session.username}`}
            onClick={() => onSignOut(null)}
          />
        </div>
      </div>
    </header>
  );
}
