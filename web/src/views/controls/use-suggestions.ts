import { useEffect, useState } from 'preact/hooks';
import { Suggestions, type SuggestionsQuery } from '../../../generated/operations.ts';
import { ask } from '../../api/ask.ts';
import { nodeOf } from '../../data/questions.ts';
import { type SuggestedKey, searchedGroups } from '../../data/understand-filter.ts';
import type { ViewProps } from '../view-props.ts';

export type SuggestionState = {
  /** Keys of each group, in the order in which they are offered. */
  readonly keys: readonly SuggestedKey[];
  readonly state: 'none' | 'loading' | 'there' | 'failed';
};

const NONE: SuggestionState = { keys: [], state: 'none' };

/** Shorter texts are in nearly every key. */
const SHORTEST = 2;

/** Patterns and networks, which are no part of a name. */
const NO_NAME = /^\/|^re:|^[\d.:a-f*]+\/\d*$|\*$/i;

/** Asks only when nothing was typed for so long. */
const PAUSE_MS = 180;

/** Keys of a group that are offered. */
const MOST_KEYS = 5;

/** Returns the keys that have a text, of the group that is shown first. */
export function useSuggestions(typed: string, props: ViewProps): SuggestionState {
  const { address, choice, group, session } = props;
  const [known, setKnown] = useState(NONE);
  const text = typed.trim().replace(/^-\s*/, '');
  const groups = searchedGroups({ choice, group });
  const guids = groups.map(({ guid }) => guid);
  const question = JSON.stringify([text, nodeOf(address), guids]);
  useEffect(() => {
    if (text.length < SHORTEST || guids.length === 0 || NO_NAME.test(text)) {
      setKnown(NONE);
      return;
    }
    setKnown((before) => ({ ...before, state: 'loading' }));
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      const variables = {
        ...nodeOf(address),
        searched: guids,
        typed: text,
        suggested: MOST_KEYS,
      };
      ask(Suggestions, variables, { session, signal: stopped.signal }).then(
        ({ data }) => {
          if (stopped.signal.aborted) return;
          const keys = groups.flatMap((of) =>
            keysOf(data, of.guid).map((key) => ({ ...key, group: of })),
          );
          setKnown({ keys, state: 'there' });
        },
        () => {
          if (!stopped.signal.aborted) setKnown({ keys: [], state: 'failed' });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
    // `question` covers everything that is used here.
  }, [question]);
  return known;
}

const keysOf = ({ context }: SuggestionsQuery, guid: string) =>
  context?.counterGroups
    .find((group) => group.guid === guid)
    ?.keys?.edges.map(({ node }) => node) ?? [];
