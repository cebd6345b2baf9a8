import { useRef } from 'preact/hooks';
import { SavedViews } from '../../../generated/operations.ts';
import { useAnswer } from '../../api/use-answer.ts';
import type { SavedView } from '../../data/saved-views.ts';
import { Icon } from '../../parts/icon.tsx';
import { Popover } from '../../parts/popover.tsx';
import type { ViewProps } from '../view-props.ts';
import { SaveForm } from './save-form.tsx';
import { SavedViewItem } from './saved-view-item.tsx';

type MenuProps = ViewProps & { readonly context: string };

/** Lists the saved views of a context, and saves the one that is shown. */
export function SavedViewsMenu(props: MenuProps) {
  return (
    <Popover
      // What is open belongs to its context.
      key={props.context}
      class="is-right"
      name="Saved views"
      label={
        <>
          <Icon name="star" />
          <span class="wide-text">Saved views</span>
        </>
      }
    >
      {(close) => <Menu {...props} onOpened={close} />}
    </Popover>
  );
}

function Menu(props: MenuProps & { readonly onOpened: () => void }) {
  const { context, session } = props;
  const { data, fault, isLoading, refresh } = useAnswer(SavedViews, { context }, session);
  const views = data?.context?.views ?? null;
  const menu = useRef<HTMLDivElement>(null);
  const onChanged = () => {
    // What had the focus may be gone with the change, and the menu would close.
    menu.current?.focus();
    refresh();
  };
  return (
    <div ref={menu} class="saved" aria-busy={isLoading} tabIndex={-1}>
      {views === null ? (
        <p role="status">{fault ? `${fault.message}.` : isLoading ? 'Loading …' : UNKNOWN}</p>
      ) : (
        <Lists {...props} views={views} onChanged={onChanged} />
      )}
      <SaveForm {...props} views={views ?? []} onSaved={refresh} />
    </div>
  );
}

const UNKNOWN = 'The saved views could not be read.';

type ListsProps = MenuProps & {
  readonly views: readonly SavedView[];
  readonly onOpened: () => void;
  readonly onChanged: () => void;
};

function Lists(props: ListsProps) {
  const own = props.views.filter(({ isOwn }) => isOwn);
  const others = props.views.filter(({ isOwn }) => !isOwn);
  if (props.views.length === 0) {
    return <p class="hint">Nothing is saved in {props.context} yet. Save what is shown now:</p>;
  }
  return (
    <>
      {own.length > 0 && <List {...props} heading="Yours" views={own} />}
      {others.length > 0 && <List {...props} heading="Shared by others" views={others} />}
    </>
  );
}

function List({ heading, views, ...props }: ListsProps & { readonly heading: string }) {
  return (
    <section aria-label={heading}>
      <h2 class="saved-heading">{heading}</h2>
      <ul class="saved-list">
        {views.map((view) => (
          <SavedViewItem key={`${view.owner}\n${view.name}`} {...props} view={view} />
        ))}
      </ul>
    </section>
  );
}
