import type { ComponentChildren } from 'preact';

/** Returns what to type for `countergraph` where the server runs. */
function program(): string {
  const command = document.querySelector<HTMLMetaElement>('meta[name="countergraph-command"]');
  return command?.content || 'countergraph';
}

/** Returns a countergraph command, as typed where the server runs. */
export const commandText = (command: string): string => `${program()} ${command}`;

/** A countergraph command, as typed where the server runs. */
export const Command = ({ children }: { readonly children: ComponentChildren }) => (
  <code>
    {program()} {children}
  </code>
);
