/** What `PageInfo` needs of a page of a connection. */
type Page<Item> = {
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
};

export function pageInfoOf<Item>(
  { items, hasNextPage, hasPreviousPage }: Page<Item>,
  cursorOf: (item: Item) => string,
) {
  const first = items[0];
  const last = items.at(-1);
  return {
    hasNextPage,
    hasPreviousPage,
    startCursor: first === undefined ? null : cursorOf(first),
    endCursor: last === undefined ? null : cursorOf(last),
  };
}
