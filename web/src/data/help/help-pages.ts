/** A page of the docs, as the build rendered it (build/help.mjs). */
export type HelpPage = {
  /** Relative to the docs, such as `how-to/alerts.md`. */
  readonly path: string;
  readonly title: string;
  readonly sections: readonly HelpSection[];
};

export type HelpSection = {
  /** Anchor of the heading. */
  readonly id: string;
  /** Level of the heading, from 1. */
  readonly depth: number;
  readonly title: string;
  readonly html: string;
};

/** What the help shows: a page at one of its sections; null: its start. */
export type HelpPlace = { readonly path: string; readonly section: string | null };

/** Names of the kinds of pages, in the order in which the help lists them. */
export const HELP_KINDS: Readonly<Record<string, string>> = {
  tutorial: 'First steps',
  'how-to': 'How to',
  explanation: 'Explanations',
  reference: 'Reference',
};

const PREFIX = '#help';

/** Returns the fragment of an address that opens the help; without a place, its first page. */
export const formatHelp = (place: HelpPlace | null): string =>
  place
    ? `${PREFIX}=${place.path}${place.section === null ? '' : `:${place.section}`}`
    : `${PREFIX}=`;

/** Parses the fragment of an address. undefined: it does not open the help. */
export function parseHelp(hash: string): HelpPlace | null | undefined {
  if (hash !== PREFIX && !hash.startsWith(`${PREFIX}=`)) return undefined;
  const [path = '', section = null] = hash.slice(PREFIX.length + 1).split(':');
  return path === '' ? null : { path, section };
}

/** The words, by their anchors in the docs, that have their meaning one hover away. */
export const MEANINGS = {
  context: 'A context: data kept apart from all others, usually those of one network or site',
  'counter-group': 'A counter group: a kind of thing that is counted, such as hosts or apps',
  meter: 'A meter: what is measured of each of them, such as bytes or packets',
  probe: 'A probe: where it was measured, such as a router, a sensor or a collector',
  slice: 'A slice: one interval of time as it is stored, usually a day',
  pool: 'A pool: a folder or disk that slices are kept in',
} as const;

export type Word = keyof typeof MEANINGS;
