import { type ComponentChildren, toChildArray } from 'preact';
import { useShortTable } from './short-table.tsx';

type TableCardProps = {
  readonly name: string;
  /** Shown after the name. */
  readonly note?: ComponentChildren;
  readonly head?: ComponentChildren;
  /** Names; a leading `#` marks a column of numbers. */
  readonly columns: readonly string[];
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren;
  readonly foot?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A table with a heading, which scrolls sideways if it is too wide. */
export function TableCard(props: TableCardProps) {
  const { name, note, head, columns, empty, foot, children } = props;
  const count = toChildArray(children).length;
  const { shortClass, showAll } = useShortTable(count);
  return (
    <section class="card table-card" aria-label={name}>
      <div class="card-head">
        <h2>
          {name}
          {note !== undefined && <span> · {note}</span>}
        </h2>
        {head}
      </div>
      {count === 0 ? (
        <p class="card-text">{empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
        <div class="table-scroll" tabIndex={0}>
          <table class={`plain-table ${shortClass}`}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th
                    key={column}
                    scope="col"
                    class={column.startsWith('#') ? 'is-number' : undefined}
                  >
                    {column.replace('#', '')}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
      {showAll}
      {foot}
    </section>
  );
}
