import type { ComponentChildren } from 'preact';

/** A command of countergraph, as it is typed where the server runs. */
export function Command({ children }: { readonly children: ComponentChildren }) {
  const told = document.querySelector<HTMLMetaElement>('meta[name="countergraph-command"]');
  return (
    <code>
      {told?.content || 'countergraph'} {children}
    </code>
  );
}
