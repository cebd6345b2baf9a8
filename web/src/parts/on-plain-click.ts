/** Acts within this page, unless the click is meant to open the link in another tab. */
export const onPlainClick =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    act();
  };
