import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql';
import type { GraphQLLimits } from './graphql-limits.ts';
import { limitError } from './limit-error.ts';

/** Parses a document. Errors: that of its syntax, or LIMIT if it has too many tokens. */
export function parseDocument(source: string | Source, limits: GraphQLLimits): DocumentNode {
  try {
    return parse(source, { maxTokens: limits.tokens });
  } catch (error) {
    // The parser is recursive, and a document may be nested thousands of levels deep.
    if (error instanceof RangeError) {
      throw limitError('The depth of the document', limits.depth, 'some thousands');
    }
    if (error instanceof GraphQLError && hasMoreTokens(source, limits.tokens)) {
      throw limitError('The tokens of the document', limits.tokens, 'more');
    }
    throw error;
  }
}

/** Counts the tokens again: only the wording distinguishes the parser's error from others. */
function hasMoreTokens(source: string | Source, limit: number): boolean {
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  try {
    for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count += 1) {
      if (count === limit) return true;
    }
    return false;
  } catch (error) {
    // Text that is not a token: the parser's error already reports this mistake.
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
