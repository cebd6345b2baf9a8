import { useEffect, useState } from 'preact/hooks';
import { StarredViews, type StarredViewsQuery } from '../../generated/operations.ts';
import { formatAddress, parseAddress } from '../address/address.ts';
import { ask } from '../api/ask.ts';
import type { Session } from '../api/session.ts';
import { type ContextChoice, firstContext } from '../data/choices.ts';
import { leavesOpen, openedAddress } from '../data/saved-views.ts';

type Starred = StarredViewsQuery['viewer']['contexts'];

/**
 * Returns whether the address is the one to begin with. One that leaves open what is shown becomes
 * that of the starred view of its context, if there is one.
 */
export function useStart(
  session: Session | null,
  contexts: readonly ContextChoice[] | null,
): boolean {
  const [isReady, setReady] = useState(() => !leavesOpen(location.search));
  const [starred, setStarred] = useState<Starred | null>(null);
  // Asked at the same time as the choices: the page begins no later.
  useEffect(() => {
    if (isReady || !session) return;
    const begin = (found: Starred) => setStarred(found);
    ask(StarredViews, {}, { session }).then(
      ({ data }) => begin(data.viewer.contexts),
      () => begin([]),
    );
  }, [session]);
  useEffect(() => {
    if (isReady || !starred || !contexts) return;
    const context = parseAddress(location.search).context ?? firstContext(contexts);
    const of = starred.find(({ name }) => name === context);
    const view = of?.views?.find((each) => each.starred);
    if (view) {
      const address = formatAddress(openedAddress(view, context));
      history.replaceState(null, '', address + location.hash);
    }
    setReady(true);
  }, [starred, contexts]);
  return isReady;
}
