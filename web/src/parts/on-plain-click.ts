/** Does it in this page, unless the link is to be opened in a tab of its own. */
export const onPlainClick =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    act();
  };
