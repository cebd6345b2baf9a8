import type { ComponentChildren } from 'preact';

/** A countergraph command, as typed where the server runs. */
export function Command({ children }: { readonly children: ComponentChildren }) {
  const told = document.querySelector<HTMLMetaElement>('meta[name="countergraph-command"]');
  return (
    <code>
      {told?.content || 'countergraph'} {children}
    </code>
  );
}
