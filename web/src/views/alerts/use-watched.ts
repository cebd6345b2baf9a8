import { useEffect, useMemo, useState } from 'preact/hooks';
import { AlertMarks } from '../../../generated/operations.ts';
import { ask } from '../../api/ask.ts';
import { firingMark } from '../../data/alerts/firing.ts';
import {
  type MarkedEvents,
  NOTHING_WATCHED,
  rulesAbout,
  type Watched,
  watched,
} from '../../data/alerts/watched.ts';
import { nodeOf } from '../../data/questions.ts';
import type { ViewProps } from '../view-props.ts';

/** How many events are loaded for marks in charts, the newest of the context. */
const MARKED_EVENTS = 500;

/** The rules that watch what is shown; events are loaded only if there are such rules. */
export function useWatched({ address, session, alerts }: ViewProps): Watched {
  const { rules } = alerts;
  const { group, meter, probe } = address;
  const shown = { group, meter, probe };
  const watching = rules ? rulesAbout(rules, shown) : [];
  const question = { ...nodeOf(address), events: MARKED_EVENTS };
  const subject = JSON.stringify([question, session]);
  const [known, setKnown] = useState<Known | null>(null);
  // Events are loaded again when one begins or ends.
  const mark = watching.length > 0 ? firingMark(watching) : null;
  useEffect(() => {
    if (mark === null) return;
    const stopped = new AbortController();
    ask(AlertMarks, question, { session, signal: stopped.signal }).then(
      ({ data }) => setKnown({ subject, events: data.context?.alertEvents ?? null }),
      // Firing events are marked even so, and the next change loads again.
      () => undefined,
    );
    return () => stopped.abort();
  }, [subject, mark]);
  const history = known?.subject === subject ? known.events : null;
  return useMemo(
    () => (rules ? watched(rules, history, shown) : NOTHING_WATCHED),
    [rules, history, group, meter, probe],
  );
}

type Known = { readonly subject: string; readonly events: MarkedEvents | null };
