import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from 'graphql';
import type { GraphQLLimits } from './graphql-limits.ts';
import { limitError } from './limit-error.ts';

/** The document of a text. Errors: that of its syntax, or LIMIT when it has too many tokens. */
export function parseDocument(source: string | Source, limits: GraphQLLimits): DocumentNode {
  try {
    return parse(source, { maxTokens: limits.tokens });
  } catch (error) {
    // The parser calls itself for what is nested, thousands of levels deep if it is asked to.
    if (error instanceof RangeError) {
      throw limitError('The depth of the document', limits.depth, 'some thousands');
    }
    if (error instanceof GraphQLError && hasMoreTokens(source, limits.tokens)) {
      throw limitError('The tokens of the document', limits.tokens, 'more');
    }
    throw error;
  }
}

/** Counted again, as the parser's error cannot be told from others but by its words. */
function hasMoreTokens(source: string | Source, limit: number): boolean {
  const lexer = new Lexer(typeof source === 'string' ? new Source(source) : source);
  try {
    for (let count = 0; lexer.advance().kind !== TokenKind.EOF; count += 1) {
      if (count === limit) return true;
    }
    return false;
  } catch (error) {
    // Text that is no token: the mistake that is to be told.
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}
