import type { RefObject } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Filter } from '../../address/filters.ts';
import {
  hasKeys,
  keyReading,
  NO_EXCLUDED_TEXT,
  type Reading,
  readingsOf,
} from '../../data/understand-filter.ts';
import { counted } from '../../format/counted.ts';
import { IN_NO_VIEW, type ViewProps } from '../view-props.ts';
import { OptionList, optionId, type SearchOption } from './option-list.tsx';
import { type SuggestionState, useSuggestions } from './use-suggestions.ts';

type SearchBoxProps = ViewProps & {
  readonly field: RefObject<HTMLInputElement | null>;
  /** What is typed, and the filter that it replaces. */
  readonly typed: Typed;
  readonly onType: (typed: Typed) => void;
  /** Moves the focus to the last of the active filters. */
  readonly onBack: () => void;
};

export type Typed = { readonly text: string; readonly edited: Filter | null };

export const NOTHING_TYPED: Typed = { text: '', edited: null };

/**
 * The one field for all filters: says how it understands what is typed, and suggests keys. A
 * combobox with a list, by the pattern of ARIA 1.2: the focus stays in the field.
 */
export function SearchBox(props: SearchBoxProps) {
  const { field, typed, onType, address, navigate, group } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const suggested = useSuggestions(isOpen ? typed.text : '', props);
  const options = optionsOf(props, suggested);
  const isListed = isOpen && options.length > 0;
  const current = Math.min(active, options.length - 1);
  useSlashKey(field);
  const type = (text: string) => {
    onType({ ...typed, text });
    setActive(0);
    setOpen(true);
  };
  const choose = (reading: Reading | undefined) => {
    if (!reading) return;
    navigate.go({ ...(!hasKeys(address) && IN_NO_VIEW), ...reading.target });
    onType(NOTHING_TYPED);
    setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setOpen(true);
      if (isListed) setActive((current + step + options.length) % options.length);
    } else if (event.key === 'Escape' && (isListed || typed.text !== '')) {
      // Closes the list, then clears the field; only the next one closes the panel of a key.
      event.preventDefault();
      if (isListed) setOpen(false);
      else onType(NOTHING_TYPED);
    } else if (event.key === 'Backspace' && typed.text === '') {
      props.onBack();
    }
  };
  return (
    <form
      class="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        choose(options[current]);
      }}
    >
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={hasKeys(address) && group ? `Filter ${group.name}` : 'Search keys'}
        aria-expanded={isListed}
        aria-controls={isListed ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isListed ? optionId(id, current) : undefined}
        aria-keyshortcuts="/"
        title="Press / to type here"
        placeholder="Name, address, network, port …"
        value={typed.text}
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        enterKeyHint="search"
        onInput={(event) => type(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span class="search-key" aria-hidden="true">
        /
      </span>
      {isListed && (
        <OptionList id={id} options={options} active={current} onChoose={(one) => choose(one)} />
      )}
      {isOpen && !isListed && <Advice text={typed.text} />}
      <p class="sr-only" role="status">
        {isListed && suggested.state !== 'loading' && counted(options.length, 'suggestion')}
        {isListed && suggested.state === 'failed' && '. The search for keys has failed'}
      </p>
    </form>
  );
}

function optionsOf(props: SearchBoxProps, { keys, state }: SuggestionState) {
  const { typed, address, choice, group } = props;
  const place = { address, choice, group, edited: typed.edited };
  const readings = readingsOf(typed.text, place);
  const heading = state === 'failed' ? 'Understood as (the search for keys has failed)' : READINGS;
  return [
    ...readings.map((reading) => ({ ...reading, heading })),
    ...(state === 'none' ? [] : keys).map((key) => ({
      ...keyReading(typed.text, key, place),
      label: '',
      note: key.readable === key.label ? null : key.readable,
      heading: key.group.name,
    })),
  ] satisfies readonly SearchOption[];
}

const READINGS = 'Understood as';

/** What can be typed, or why nothing can be done with it. */
const Advice = ({ text }: { readonly text: string }) => (
  <div class="search-list search-advice">
    {/^\s*-./.test(text) ? (
      <p role="alert">{NO_EXCLUDED_TEXT}</p>
    ) : (
      <p class="hint">
        A name, an address (<code>10.0.0.1</code>), a network (<code>192.168.1.0/24</code>,{' '}
        <code>192.168.1.*</code>), a port (<code>443</code>) or an RE2 pattern of the raw key (
        <code>/^0A/</code>). A <code>-</code> before it leaves out.
      </p>
    )}
  </div>
);

/** Focuses the field when the key / is pressed anywhere but where text is typed or chosen. */
function useSlashKey(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (key !== '/' || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
      const isElsewhere =
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], [role="dialog"], dialog');
      if (isElsewhere) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
