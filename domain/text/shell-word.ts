/** Quotes a text as one word for a shell, for commands in messages. */
export const shellWord = (text: string): string =>
  /^[\w.,:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
