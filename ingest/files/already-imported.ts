import { IngestError } from '../ingest-error.ts';

/** An import of before, and the context that it went into. */
type ImportBefore = {
  readonly context: string;
  readonly from: string;
  readonly importedAt: Date;
};

/**
 * Nothing was imported, because the context has the content already. `same`: all of it; `grown`:
 * its beginning; `nothing-new`: what is new was asked for, and there is none.
 */
export class AlreadyImported extends IngestError {
  readonly source: string;
  readonly context: string;
  readonly kind: 'same' | 'grown' | 'nothing-new';
  /** The message without the advice. */
  readonly statement: string;

  constructor(
    source: string,
    kind: AlreadyImported['kind'],
    { context, from, importedAt }: ImportBefore,
  ) {
    const how = `imported at ${importedAt.toISOString()} from ${from}`;
    const statement = `${source}: ${WHAT[kind](context, how)}`;
    super(`${statement}: ${ADVICE[kind]}`);
    this.name = 'AlreadyImported';
    this.source = source;
    this.context = context;
    this.kind = kind;
    this.statement = statement;
  }
}

const WHAT = {
  same: (context: string, how: string) => `its content is in context ${context} already, ${how}`,
  grown: (context: string, how: string) =>
    `its beginning is in context ${context} already, ${how}; the file has grown since`,
  'nothing-new': (context: string, how: string) =>
    `nothing new: its lines are in context ${context} already, ${how}`,
} as const;

const ADVICE = {
  same: 'give --again to count it again',
  grown: 'give --grown to count only what is new, or --again to count all of it again',
  'nothing-new': 'a last line without its line break is left for the next time',
} as const;
