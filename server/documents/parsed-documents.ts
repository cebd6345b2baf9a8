import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';

/**
 * Creates caches of parsed documents by their text, and thereby of their validation results. Yoga's
 * own cache is limited by count: a thousand documents of the maximum size, which anybody could
 * send, used up all memory.
 */
export const parsedDocuments = () => ({
  documentCache: new LRUCache<string, DocumentNode>({
    maxSize: LIMITS.parsedDocumentCharacters,
    sizeCalculation: (_, text) => text.length + 1,
  }),
  // Syntax errors are not cached: finding them again is fast enough.
  errorCache: { get: () => undefined, set: () => undefined },
});
