import { useRef, useState } from 'preact/hooks';
import type { Filter } from '../../address/filters.ts';
import { filterWords, inOrder, jointOf, typedForm } from '../../data/filter-words.ts';
import type { Refusal } from '../../data/refusal.ts';
import { hasKeys } from '../../data/understand-filter.ts';
import { isolated } from '../../format/isolated.ts';
import { useFocusInPlace } from '../../parts/focus.ts';
import { Icon } from '../../parts/icon.tsx';
import type { ViewProps } from '../view-props.ts';
import { NOTHING_TYPED, SearchBox } from './search-box.tsx';

type FilterBarProps = ViewProps & {
  /** The labels of the keys that are shown, by raw key. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Why the server refused the question. */
  readonly refusal?: Refusal | null;
};

/** The field for filters, and those that are active. */
export function FilterBar(props: FilterBarProps) {
  const [typed, setTyped] = useState(NOTHING_TYPED);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const edit = (filter: Filter, text: string) => {
    setTyped({ text, edited: filter });
    field.current?.focus();
  };
  return (
    <search class="filter" aria-label="Filter keys">
      <SearchBox
        {...props}
        field={field}
        typed={typed}
        onType={setTyped}
        onBack={() => removalsIn(list.current).at(-1)?.focus()}
      />
      {hasKeys(props.address) && <FilterChips {...props} field={field} list={list} onEdit={edit} />}
    </search>
  );
}

const removalsIn = (list: HTMLElement | null): readonly HTMLElement[] =>
  list ? [...list.querySelectorAll<HTMLElement>('.chip-remove')] : [];

type FilterChipsProps = FilterBarProps & {
  readonly field: { readonly current: HTMLElement | null };
  readonly list: { current: HTMLUListElement | null };
  readonly onEdit: (filter: Filter, text: string) => void;
};

/** The active filters. Each says how it was understood, and can be edited and removed. */
function FilterChips({ address, navigate, field, list, onEdit, ...props }: FilterChipsProps) {
  const { filters, hidden } = address;
  const nameOf = (key: string) => props.labels?.get(key) ?? null;
  const stayAt = useFocusInPlace(JSON.stringify([filters, hidden]), () => {
    const buttons = removalsIn(list.current);
    return buttons.length > 0 || !field.current ? buttons : [field.current];
  });
  const shown = inOrder(filters);
  if (shown.length + hidden.length === 0) return null;
  return (
    <ul ref={list} class="chips" aria-label="Active filters">
      {shown.map((filter, index) => {
        const { label, value } = filterWords(filter, nameOf);
        return (
          <Chip
            key={`${filter.kind} ${filter.text}`}
            joint={jointOf(filter, shown[index - 1] ?? null)}
            text={`${label}: ${isolated(value)}`}
            removal={`Remove the filter ${isolated(value)}`}
            isRefused={isRefused(filter, props.refusal ?? null)}
            onEdit={() =>
              onEdit(
                filter,
                filter.kind === 'only' ? (nameOf(filter.text) ?? filter.text) : typedForm(filter),
              )
            }
            onRemove={() => {
              stayAt(index);
              navigate.go({ filters: filters.filter((each) => each !== filter) });
            }}
          />
        );
      })}
      {hidden.map((key, index) => {
        const label = isolated(nameOf(key) ?? key);
        return (
          <Chip
            key={key}
            joint={null}
            text={`Without ${label}`}
            removal={`Show ${label} again`}
            onRemove={() => {
              stayAt(shown.length + index);
              navigate.go({ hidden: hidden.filter((each) => each !== key) });
            }}
          />
        );
      })}
      {shown.length + hidden.length > 1 && (
        <li>
          <button
            type="button"
            class="text-button"
            onClick={() => {
              stayAt(0);
              navigate.go({ filters: [], hidden: [] });
            }}
          >
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}

const isRefused = ({ kind, text }: Filter, refusal: Refusal | null): boolean =>
  refusal?.of === 'filter' && refusal.kind === kind && refusal.text === text;

type ChipProps = {
  /** How it is combined with the one before it. */
  readonly joint: 'or' | 'and' | null;
  readonly text: string;
  readonly removal: string;
  readonly isRefused?: boolean;
  readonly onEdit?: () => void;
  readonly onRemove: () => void;
};

function Chip({ joint, text, removal, isRefused: isFault = false, onEdit, onRemove }: ChipProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Delete' && event.key !== 'Backspace') return;
    event.preventDefault();
    onRemove();
  };
  return (
    <li>
      {joint && <span class="chip-joint">{joint} </span>}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only for keys of its buttons. */}
      <span class={`chip ${isFault ? 'is-fault' : ''}`} onKeyDown={onKeyDown}>
        {onEdit ? (
          <button type="button" class="chip-edit" title={`Edit: ${text}`} onClick={onEdit}>
            {text}
            {isFault && <span class="sr-only"> (cannot be used)</span>}
          </button>
        ) : (
          <span class="chip-text">{text}</span>
        )}
        <button
          type="button"
          class="chip-remove"
          aria-label={removal}
          title={removal}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      </span>
    </li>
  );
}
