import { IngestError } from '../ingest-error.ts';

/** The content of a source is already in the context. */
export class AlreadyImported extends IngestError {
  readonly source: string;
  readonly context: string;
  /** The message without the advice. */
  readonly statement: string;

  constructor(source: string, context: string, how: string) {
    const statement = `${source}: its content is in context ${context} already, ${how}`;
    super(`${statement}: give --again to count it again`);
    this.name = 'AlreadyImported';
    this.source = source;
    this.context = context;
    this.statement = statement;
  }
}
