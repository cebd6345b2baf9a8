import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';

/**
 * Parsed documents by their text, with the results of their validation. Yoga's own memory is bounded
 * by number: a thousand that are as large as they may be, from anybody, took all there was.
 */
export const parsedDocuments = () => ({
  documentCache: new LRUCache<string, DocumentNode>({
    maxSize: LIMITS.parsedDocumentCharacters,
    sizeCalculation: (_, text) => text.length + 1,
  }),
  // What does not parse is told fast enough again.
  errorCache: { get: () => undefined, set: () => undefined },
});
