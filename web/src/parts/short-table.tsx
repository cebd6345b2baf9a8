import { useState } from 'preact/hooks';

/** Number of rows that a phone shows at first: more would hide what comes below the table. */
const FIRST_ROWS = 10;

/**
 * Returns the class of a table that a narrow window shortens, and the button to show all of its
 * rows; wide ones show them anyway.
 */
export function useShortTable(count: number) {
  const [isAll, setIsAll] = useState(false);
  if (count <= FIRST_ROWS) return { shortClass: '', showAll: null };
  return {
    shortClass: isAll ? '' : 'is-short',
    showAll: (
      <p class="show-all">
        <button type="button" class="button" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
          {isAll ? `Show only ${FIRST_ROWS}` : `Show all ${count}`}
        </button>
      </p>
    ),
  };
}
