import type { ComponentChildren } from 'preact';
import { pageMeta } from '../api/page-meta.ts';

/** Returns what to type for `countergraph` where the server runs. */
const program = (): string => pageMeta('command') || 'countergraph';

/** Returns a countergraph command, as typed where the server runs. */
export const commandText = (command: string): string => `${program()} ${command}`;

/** A countergraph command, as typed where the server runs. */
export const Command = ({ children }: { readonly children: ComponentChildren }) => (
  <code>
    {program()} {children}
  </code>
);
