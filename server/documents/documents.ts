import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { malformed, serviceError } from '../../domain/errors.ts';
import { isObject } from '../../domain/is-object.ts';
import { LIMITS } from '../../domain/limits.ts';

/** Documents known when the server started, by hash. */
export type TrustedDocuments = ReadonlyMap<string, string>;

/** The parameters of a request that name its document. */
export type DocumentParams = {
  readonly query?: unknown;
  /** GraphQL over HTTP, "Persisted Documents": `sha256:…`, or another name of the document. */
  readonly documentId?: unknown;
  readonly extensions?: unknown;
};

/**
 * Documents by their hash: trusted ones, and those that signed-in callers have registered by
 * sending them once (automatic persisted queries, as in Apollo's clients). If only trusted
 * documents are allowed, all others are refused.
 */
export class Documents {
  readonly trusted: TrustedDocuments;
  readonly #trustedTexts: ReadonlySet<string>;
  readonly #trustedOnly: boolean;
  readonly #registered = new LRUCache<string, string>({
    maxSize: LIMITS.persistedDocumentCharacters,
    sizeCalculation: (text) => text.length + 1,
  });

  constructor(trusted: TrustedDocuments, rules: { readonly trustedOnly: boolean }) {
    this.trusted = trusted;
    this.#trustedTexts = new Set(trusted.values());
    this.#trustedOnly = rules.trustedOnly;
  }

  /** Returns the document's text; null: none is named. Errors: unknown, wrong hash, not trusted. */
  textOf(params: DocumentParams): string | null {
    const hash = hashOf(params);
    const { query } = params;
    if (hash === null) return typeof query === 'string' ? this.#allowed(query) : null;
    if (query === undefined || query === null) {
      const text = this.trusted.get(hash) ?? this.#registered.get(hash);
      if (text === undefined) throw serviceError('persistedQueryNotFound');
      return this.#allowed(text);
    }
    if (typeof query !== 'string') return null;
    if (sha256(query) !== hash) {
      throw malformed('sha256Hash', 'the SHA-256 of the query beside it, in hex', hash);
    }
    return this.#allowed(query);
  }

  /** Registers a document sent with its hash, for later requests that send only the hash. */
  register(params: DocumentParams, text: string): void {
    const hash = hashOf(params);
    if (hash !== null && sha256(text) === hash) this.#registered.set(hash, text);
  }

  #allowed(text: string): string {
    if (this.#trustedOnly && !this.#trustedTexts.has(text)) throw serviceError('notTrusted');
    return text;
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function hashOf({ documentId, extensions }: DocumentParams): string | null {
  if (documentId !== undefined && documentId !== null) {
    if (typeof documentId === 'string') return documentId.replace(/^sha256:/, '');
    throw malformed('documentId', 'the hash of a document', documentId);
  }
  const persisted = isObject(extensions) ? extensions['persistedQuery'] : undefined;
  if (persisted === undefined || persisted === null) return null;
  const { version, sha256Hash } = isObject(persisted) ? persisted : {};
  if (version === 1 && typeof sha256Hash === 'string') return sha256Hash.toLowerCase();
  throw malformed('persistedQuery', '{"version": 1, "sha256Hash": "…"}', JSON.stringify(persisted));
}
