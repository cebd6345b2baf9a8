/** Returns what the server has written into the page under a name; empty: nothing. */
export function pageMeta(name: 'demo' | 'command' | 'upload-mb' | 'help' | 'explorer'): string {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="countergraph-${name}"]`);
  return meta?.content ?? '';
}
