import type { ComponentChildren } from 'preact';

/** A countergraph command, as typed where the server runs. */
export function Command({ children }: { readonly children: ComponentChildren }) {
  const command = document.querySelector<HTMLMetaElement>('meta[name="countergraph-command"]');
  return (
    <code>
      {command?.content || 'countergraph'} {children}
    </code>
  );
}
