import { useEffect, useRef, useState } from 'preact/hooks';
import { FILTER_KINDS, type Filter, type FilterKind } from '../../address/filters.ts';
import { FILTER_LABELS } from '../../data/filter-words.ts';
import type { ShownToppers } from '../../data/shown-toppers.ts';
import { isolated } from '../../format/isolated.ts';
import { useFocusInPlace } from '../../parts/focus.ts';
import { Icon } from '../../parts/icon.tsx';
import type { ViewProps } from '../view-props.ts';

type FilterBoxProps = ViewProps & {
  readonly shown: ShownToppers | null;
  /** Whether the server refused the current filter. */
  readonly isFilterRefused: boolean;
};

const HINTS: Readonly<Record<FilterKind, string>> = {
  only: 'a key, raw or readable',
  outside: '10.20.0.0/16, 2001:db8::/32',
  find: 'in label or readable key',
  cidr: '10.20.0.0/16, 2001:db8::/32',
  match: 'RE2 in the raw key: ^0A\\.14\\.',
  except: 'RE2 in the raw key: ^C6\\.',
};

/** Kinds of keys that contain addresses. */
const WITH_ADDRESSES: ReadonlySet<string> = new Set(['IP', 'IPV4', 'IPV6', 'CROSSKEY']);

/** The form that filters the listed keys. */
export function FilterBox({ address, navigate, group, isFilterRefused }: FilterBoxProps) {
  const filter: Filter | null = address.filters[0] ?? null;
  const [kind, setKind] = useState<FilterKind>(filter?.kind ?? 'find');
  const [text, setText] = useState(filter?.text ?? '');
  useEffect(() => {
    setText(filter?.text ?? '');
    if (filter) setKind(filter.kind);
  }, [filter?.kind, filter?.text]);
  const kinds = FILTER_KINDS.filter(
    (each) => each !== 'cidr' || !group || WITH_ADDRESSES.has(group.keyKind) || kind === 'cidr',
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const wanted = text.trim();
    navigate.go({ filters: wanted ? [{ kind, text: wanted }] : [] });
  };
  /** Escape clears the field; only the next one closes the panel of a key. */
  const escapeText = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || text === '') return;
    event.preventDefault();
    setText('');
  };
  return (
    <search class="filter" aria-label="Filter keys">
      <form class="field is-filter" onSubmit={submit}>
        <span class="field-label" aria-hidden="true">
          Only keys with
        </span>
        <div class="joined">
          <select
            aria-label="How keys are filtered"
            value={kind}
            onChange={(event) => setKind(kinds[event.currentTarget.selectedIndex] ?? 'find')}
          >
            {kinds.map((each) => (
              <option key={each} value={each}>
                {FILTER_LABELS[each]}
              </option>
            ))}
          </select>
          <input
            type="search"
            aria-label={`Filter: ${FILTER_LABELS[kind]}`}
            placeholder={HINTS[kind]}
            value={text}
            aria-invalid={isFilterRefused && text === filter?.text && kind === filter.kind}
            spellcheck={false}
            autoCapitalize="none"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={escapeText}
          />
          <button type="submit" class="button">
            Filter
          </button>
        </div>
      </form>
    </search>
  );
}

/** The active filters, each with a button to remove it. */
export function FilterChips({ address, navigate, shown }: FilterBoxProps) {
  const { filters, hidden } = address;
  const list = useRef<HTMLUListElement>(null);
  const chips = JSON.stringify([filters, hidden]);
  const stayAt = useFocusInPlace(chips, () => {
    const input = document.querySelector<HTMLElement>('.filter input');
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    return buttons.length > 0 || !input ? buttons : [input];
  });
  if (filters.length + hidden.length === 0) return null;
  return (
    <ul ref={list} class="chips" aria-label="Active filters">
      {filters.map((filter, index) => (
        <Chip
          key={`${filter.kind} ${filter.text}`}
          text={`${FILTER_LABELS[filter.kind]}: ${isolated(filter.text)}`}
          name={`Remove the filter ${isolated(filter.text)}`}
          onRemove={() => {
            stayAt(index);
            navigate.go({ filters: filters.filter((each) => each !== filter) });
          }}
        />
      ))}
      {hidden.map((key, index) => {
        const label = isolated(shown?.hidden.find((each) => each.key === key)?.label ?? key);
        return (
          <Chip
            key={key}
            text={`Without ${label}`}
            name={`Show ${label} again`}
            onRemove={() => {
              stayAt(filters.length + index);
              navigate.go({ hidden: hidden.filter((each) => each !== key) });
            }}
          />
        );
      })}
    </ul>
  );
}

type ChipProps = {
  readonly text: string;
  readonly name: string;
  readonly onRemove: () => void;
};

const Chip = ({ text, name, onRemove }: ChipProps) => (
  <li class="chip">
    <span>{text}</span>
    <button type="button" aria-label={name} title={name} onClick={onRemove}>
      <Icon name="close" />
    </button>
  </li>
);
